// y = whether x is not a number
#include "ops/core/rows.hpp"
#include "ops/families/elementwise/truth.hpp"

namespace chop::ops::isnan_ {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

void forward(const ForwardCall& call) {
  const auto x = call.x(0);
  const auto y = call.out[0].mutable_data<std::int64_t>();
  for (std::size_t i = 0; i < y.size(); ++i) y[i] = std::isnan(x[i]) ? 1 : 0;
}

}  // namespace

OpDef define() {
  return {
      .name = "isnan",
      .doc = "y = whether x is NaN",
      .mase_type = MaseType::BuiltinFunc,
      .method = "isnan",
      .torch = "torch.isnan(x)",
      .traits = Trait::Elementwise | Trait::NoGradient,
      .infer = real_to_truth,
      .forward = forward,
      .cost = per_element_forward,
      .rows_apart = broadcast_by_row,
      .onnx = {{"IsNaN", 9}},
      .samples = {{.inputs = {{{4, 5}}}},
                  {.inputs = {{.shape = {3}, .low = kNan, .high = kNan}}},
                  {.inputs = {{.shape = {9}, .low = -1e39, .high = 1e39}}},  // mostly infinite
                  {.inputs = {{.shape = {}}}},
                  {.inputs = {{{0, 3}}}}},
  };
}

}  // namespace chop::ops::isnan_
