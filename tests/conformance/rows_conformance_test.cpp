// Calls that say they work row by row do: every row computed by itself has the bits it has among
// the others. Plans that cut the batch into slices rely on it.
#include <gtest/gtest.h>

#include <cstring>
#include <set>

#include "ops/core/rows.hpp"
#include "support/samples.hpp"

namespace chop {
namespace {

using test::Case;
using test::Made;

/// The first result of a sample's call, with its types and the inputs that are by row.
struct Claim {
  Made made;
  std::vector<bool> by_row;  ///< by operand
  std::int64_t rows = 0;
  bool holds = false;  ///< the op says that the call works row by row
};

/// Inputs whose bit is set in `chosen` are by row.
Claim claim_of(const Case& at, bool training, unsigned chosen) {
  Claim claim{.made = make(at, training)};
  const Graph& graph = claim.made.graph;
  const Node& node = graph.node(claim.made.call);
  const Types types = infer_types(graph, 2).value();
  RowsCall call{{{{*at.op, node.attrs}, {}}, types[index(claim.made.call)]}, {}};
  std::vector<TensorType> in;
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    in.push_back(type_of(types, node.inputs[i]));
    const bool by_row = i < at.sample().inputs.size() && (chosen >> i & 1U) != 0;
    call.by_row.push_back(by_row);
    if (!by_row) continue;
    if (in.back().shape.empty()) return claim;
    if (claim.rows != 0 && claim.rows != in.back().shape[0]) return claim;
    claim.rows = in.back().shape[0];
  }
  call.in = in;
  claim.by_row = call.by_row;
  claim.holds = works_by_row(call);
  return claim;
}

std::vector<Claim> claims_of(const Case& at) {
  std::vector<Claim> claims;
  for (const bool training : {false, true})
    for (unsigned chosen = 1; chosen < 1U << std::min<std::size_t>(at.sample().inputs.size(), 4);
         ++chosen)
      if (Claim claim = claim_of(at, training, chosen); claim.holds)
        claims.push_back(std::move(claim));
  return claims;
}

Tensor row_of(const Tensor& all, std::int64_t row) {
  Shape shape = all.shape();
  shape[0] = 1;
  Tensor one(all.dtype(), shape);
  const std::size_t bytes = one.size_in_bytes();
  std::memcpy(one.mutable_bytes(), all.bytes() + bytes * static_cast<std::size_t>(row), bytes);
  return one;
}

/// The same call on one row.
Made cut(const Claim& claim, std::int64_t row) {
  Made made = claim.made;
  for (std::size_t i = 0; i < claim.by_row.size(); ++i) {
    if (!claim.by_row[i]) continue;
    const std::string name = cat("x", i);
    Tensor& input = made.inputs.at(name);
    input = row_of(input, row);
    made.graph.node(*made.graph.find(name)).attrs["shape"] = input.shape();
  }
  return made;
}

class RowsConformance : public testing::TestWithParam<Case> {};

TEST_P(RowsConformance, EveryRowIsComputedWithoutTheOthers) {
  for (const Claim& claim : claims_of(GetParam())) {
    const Tensor all =
        run_reference(claim.made.graph, claim.made.inputs).value()[index(claim.made.call)][0];
    ASSERT_FALSE(all.shape().empty());
    ASSERT_EQ(all.shape()[0], claim.rows);
    for (std::int64_t row = 0; row < claim.rows; ++row) {
      const Made made = cut(claim, row);
      const Result<Values> values = run_reference(made.graph, made.inputs);
      ASSERT_TRUE(values) << to_string(values.error());
      const Tensor& one = values.value()[index(made.call)][0];
      const Tensor expected = row_of(all, row);
      ASSERT_EQ(one.shape(), expected.shape()) << "row " << row;
      EXPECT_EQ(std::memcmp(one.bytes(), expected.bytes(), one.size_in_bytes()), 0)
          << "row " << row;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Ops, RowsConformance, testing::ValuesIn(test::all_cases()),
                         [](const auto& at) { return at.param.name(); });

TEST(RowsConformanceSuite, SeesManyOpsOnSeveralRows) {
  std::set<std::string_view> ops;
  for (const Case& at : test::all_cases())
    for (const Claim& claim : claims_of(at))
      if (claim.rows > 1) ops.insert(at.op->name);
  EXPECT_GE(ops.size(), 70U);
  for (const char* op :
       {"conv1d", "conv2d", "linear", "add", "relu", "relu6", "batch_norm2d", "max_pool2d",
        "avg_pool2d", "adaptive_avg_pool2d", "flatten", "softmax", "dropout", "cat", "quantize"})
    EXPECT_TRUE(ops.contains(op)) << op;
  for (const char* op : {"cumsum", "permute", "matmul", "cross_entropy", "full", "embedding_grad"})
    EXPECT_FALSE(ops.contains(op)) << op;
}

}  // namespace
}  // namespace chop
