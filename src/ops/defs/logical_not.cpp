// y = whether x is false
#include "ops/core/rows.hpp"
#include "ops/families/elementwise/truth.hpp"

namespace chop::ops::logical_not {
namespace {

void forward(const ForwardCall& call) {
  const auto x = call.indices(0);
  const auto y = call.out[0].mutable_data<std::int64_t>();
  for (std::size_t i = 0; i < y.size(); ++i) y[i] = x[i] == 0 ? 1 : 0;
}

}  // namespace

OpDef define() {
  return {
      .name = "logical_not",
      .doc = "y = whether x is false",
      .mase_type = MaseType::BuiltinFunc,
      .method = "logical_not",
      .torch = "torch.logical_not(x.bool())",
      .traits = Trait::Elementwise | Trait::NoGradient,
      .infer = logic_type,
      .forward = forward,
      .cost = per_element_forward,
      .rows_apart = broadcast_by_row,
      .onnx = {{"Not", 1}},
      .samples = each_of({truths({4, 5}), truths({}), truths({0, 3})}),
  };
}

}  // namespace chop::ops::logical_not
