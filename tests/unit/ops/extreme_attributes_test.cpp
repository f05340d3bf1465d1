// Graphs come from files: whatever number an attribute holds, inference gives an error or shapes
// that can be. Sanitisers watch over what is computed on the way.
#include <gtest/gtest.h>

#include "support/samples.hpp"

namespace chop {
namespace {

constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
constexpr std::array kExtremes = {kLeast,   kLeast + 1, -1L << 40,      -2L,       -1L,  0L,
                                  1L << 31, 1L << 40,   (1L << 62) + 1, kMost - 1, kMost};

/// An error is right; shapes that are inferred must be ones that a tensor could have.
void expect_possible(const Graph& graph, const std::string& what) {
  const Result<Types> types = infer_types(graph, 2);
  if (!types) return;
  for (const auto& results : types.value())
    for (const TensorType& type : results) {
      double count = 1;
      for (const std::int64_t dim : type.shape) {
        EXPECT_GE(dim, 0) << what;
        count *= static_cast<double>(dim);
      }
      EXPECT_LE(count, 0x1p40) << what;
    }
}

TEST(ExtremeAttributes, GiveAnErrorOrPossibleShapes) {
  for (const test::Case& at : test::all_cases()) {
    const Graph graph = test::make(at).graph;
    for (const NodeId id : graph.order()) {
      if (graph.node(id).opcode == Opcode::Placeholder) continue;
      for (const auto& [name, value] : graph.node(id).attrs) {
        const auto changed_to = [&](Attr attr, std::int64_t number) {
          Graph changed = graph;
          changed.node(id).attrs[name] = std::move(attr);
          expect_possible(changed, cat(at.name(), ", ", name, " = ", number));
        };
        for (const std::int64_t extreme : kExtremes) {
          if (std::holds_alternative<std::int64_t>(value)) changed_to(extreme, extreme);
          const auto* list = std::get_if<Ints>(&value);
          for (std::size_t i = 0; list != nullptr && i < list->size(); ++i) {
            Ints numbers = *list;
            numbers[i] = extreme;
            changed_to(std::move(numbers), extreme);
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace chop
