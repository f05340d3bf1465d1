// y = x + bias  when x < -lambd
//     x - bias  when x > lambd
//     0         otherwise
#include "ops/core/common.hpp"
#include "ops/core/costs.hpp"

namespace chop::ops::shrink {
namespace {

double value(double x, const Call& call) {
  if (x < -call.real("lambd")) return x + call.real("bias");
  if (x > call.real("lambd")) return x - call.real("bias");
  return std::isnan(x) ? x : 0.0;
}

double slope(double x, double /*y*/, const Call& call) {
  return x < -call.real("lambd") || x > call.real("lambd") ? 1.0 : 0.0;
}

}  // namespace

OpDef define() {
  return unary_op({
      .name = "shrink",
      .doc =
          "y = x + bias if x < -lambd, x - bias if x > lambd, else 0. With bias 0 it is PyTorch's "
          "hardshrink, with bias = lambd its softshrink",
      .function = "torch.nn.functional.hardshrink",
      .torch = "torch.where(x < -lambd, x + bias, "
               "torch.where(x > lambd, x - bias, torch.zeros_like(x)))",
      .attrs = {{"lambd", 0.5, "what the size of x must exceed"},
                {"bias", 0.0, "how far it is moved towards 0"}},
      .unary = {value, slope},
      .cost = elementwise<3>,
      .onnx = {{"Shrink", 9, {{"lambd", "lambd"}, {"bias", "bias"}}}},
      .samples = {{.inputs = {{.shape = {4, 5}, .avoid = {-0.5, 0.5}}}},
                  {.attrs = {{"lambd", 1.5}, {"bias", 1.5}},
                   .inputs = {{.shape = {2, 1, 3}, .avoid = {-1.5, 1.5}}}},
                  {.attrs = {{"bias", 0.25}},
                   .inputs = {{.shape = {7}, .low = -1e4, .high = 1e4, .avoid = {-0.5, 0.5}}}},
                  {.inputs = {{.shape = {0}}}}},
  });
}

}  // namespace chop::ops::shrink
