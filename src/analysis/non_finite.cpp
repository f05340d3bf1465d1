#include "analysis/non_finite.hpp"

#include "support/text.hpp"

namespace chop::analysis {
namespace {

template <class At>
void count(NonFinite& entry, At at) {
  for (std::int64_t i = 0; i < entry.size; ++i) {
    const double value = at(i);
    entry.nan += std::isnan(value) ? 1 : 0;
    entry.infinite += std::isinf(value) ? 1 : 0;
  }
}

}  // namespace

std::string NonFinite::counts() const {
  std::vector<std::string> parts;
  if (nan > 0) parts.push_back(cat(with_commas(nan), " NaN"));
  if (infinite > 0) parts.push_back(cat(with_commas(infinite), " infinite"));
  return cat(join(parts, " and "), " of ", counted(size, "value"));
}

void add_non_finite(NonFinites& found, std::string_view what, std::string_view name,
                    const Tensor& tensor) {
  if (!is_floating(tensor.dtype())) return;
  NonFinite entry{.name = cat(what, " '", name, "'"), .size = tensor.size()};
  if (tensor.dtype() == DType::F32)
    count(entry, [values = tensor.data<float>()](std::int64_t i) {
      return static_cast<double>(values[static_cast<std::size_t>(i)]);
    });
  else
    count(entry, [&](std::int64_t i) { return tensor.at(i); });
  if (entry.nan + entry.infinite > 0) found.push_back(std::move(entry));
}

void add_non_finite(NonFinites& found, std::string_view what, std::string_view name, double value) {
  add_non_finite(found, what, name, Tensor::scalar(value, DType::F64));
}

NonFinites non_finite_weights(const Graph& graph) {
  NonFinites found;
  for (const Parameter& parameter : graph.parameters())
    add_non_finite(found, "weight", parameter.name, parameter.value);
  return found;
}

}  // namespace chop::analysis
