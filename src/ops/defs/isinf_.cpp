// y = whether x is infinite
#include "ops/core/rows.hpp"
#include "ops/families/elementwise/truth.hpp"

namespace chop::ops::isinf_ {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

void forward(const ForwardCall& call) {
  const bool below = call.flag("detect_negative");
  const bool above = call.flag("detect_positive");
  const auto x = call.x(0);
  const auto y = call.out[0].mutable_data<std::int64_t>();
  for (std::size_t i = 0; i < y.size(); ++i)
    y[i] = std::isinf(x[i]) && (x[i] < 0 ? below : above) ? 1 : 0;
}

}  // namespace

OpDef define() {
  return {
      .name = "isinf",
      .doc = "y = whether x is ∞ or -∞",
      .mase_type = MaseType::BuiltinFunc,
      .function = "torch.isinf",
      .method = "isinf",
      .torch = "(torch.isposinf(x) & detect_positive) | (torch.isneginf(x) & detect_negative)",
      .attrs = {{"detect_negative", true, "whether -∞ counts"},
                {"detect_positive", true, "whether ∞ counts"}},
      .traits = Trait::Elementwise | Trait::NoGradient,
      .infer = real_to_truth,
      .forward = forward,
      .cost = per_element_forward,
      .rows_apart = broadcast_by_row,
      .onnx = {{"IsInf",
                10,
                {{"detect_negative", "detect_negative"}, {"detect_positive", "detect_positive"}}}},
      .samples = {{.inputs = {{{4, 5}}}},
                  {.inputs = {{.shape = {9}, .low = -1e39, .high = 1e39}}},  // mostly infinite
                  {.attrs = {{"detect_negative", false}},
                   .inputs = {{.shape = {9}, .low = -1e39, .high = 1e39}}},
                  {.attrs = {{"detect_positive", false}},
                   .inputs = {{.shape = {9}, .low = -1e39, .high = 1e39}}},
                  {.inputs = {{.shape = {3}, .low = kNan, .high = kNan}}},
                  {.inputs = {{.shape = {}}}},
                  {.inputs = {{{0, 3}}}}},
  };
}

}  // namespace chop::ops::isinf_
