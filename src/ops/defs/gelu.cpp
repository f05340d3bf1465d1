// y = x Φ(x), Φ the normal distribution function; or with approximate = "tanh"
// y = x/2 · (1 + tanh u),  u = √(2/π) (x + 0.044715 x³)
#include <numbers>

#include "ops/core/common.hpp"
#include "ops/core/costs.hpp"
#include "support/text.hpp"

namespace chop::ops::gelu {
namespace {

constexpr double kCubic = 0.044715;
constexpr double kSaturated = 40;  // tanh of more is 1 to the last bit, its slope 0

double inner(double x) {
  return std::numbers::sqrt2 / std::sqrt(std::numbers::pi) * (x + kCubic * x * x * x);
}

double value(double x, const Call& call) {
  if (call.text("approximate") == "tanh") return 0.5 * x * (1 + std::tanh(inner(x)));
  return 0.5 * x * std::erfc(-x / std::numbers::sqrt2);
}

double slope(double x, double /*y*/, const Call& call) {
  if (call.text("approximate") == "tanh") {
    const double u = inner(x);
    if (std::abs(u) > kSaturated) return u > 0 ? 1.0 : 0.0;
    const double t = std::tanh(u);
    const double du = std::numbers::sqrt2 / std::sqrt(std::numbers::pi) * (1 + 3 * kCubic * x * x);
    return 0.5 * (1 + t) + 0.5 * x * (1 - t * t) * du;
  }
  const double density = std::exp(-0.5 * x * x) / std::sqrt(2 * std::numbers::pi);
  return 0.5 * std::erfc(-x / std::numbers::sqrt2) + x * density;
}

/// ·1/√2, erf, +1, ·x, ·1/2; with tanh, four more for x + 0.044715 x³ and one instead of ·1/√2.
Cost cost(const CostCall& call) {
  return call.text("approximate") == "tanh" ? elementwise<9>(call) : elementwise<5>(call);
}

}  // namespace

OpDef define() {
  return unary_op({
      .name = "gelu",
      .doc = "y = x Φ(x), Φ the normal distribution function (or its approximation with tanh)",
      .module = "GELU",
      .function = "torch._C._nn.gelu",
      .torch = "F.gelu(x, approximate=approximate)",
      .attrs = {{.name = "approximate",
                 .initial = "none",
                 .doc = "\"none\": with erf; \"tanh\": with tanh",
                 .choices = {"none", "tanh"}}},
      .unary = {value, slope},
      .cost = cost,
      .onnx = {{"Gelu", 20, {{"approximate", "approximate"}}}},
      .repr = named_arguments,
      .samples = {{.inputs = {{.shape = {4, 5}}}},
                  {.attrs = {{"approximate", "tanh"}}, .inputs = {{.shape = {4, 5}}}},
                  {.inputs = {{.shape = {7}, .low = -1e4, .high = 1e4}}},
                  {.attrs = {{"approximate", "tanh"}},
                   .inputs = {{.shape = {7}, .low = -1e4, .high = 1e4}}},
                  {.inputs = {{.shape = {0}}}}},
  });
}

}  // namespace chop::ops::gelu
