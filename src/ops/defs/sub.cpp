// y = a - b
#include "ops/families/elementwise/arithmetic.hpp"
#include "ops/families/elementwise/whole.hpp"

namespace chop::ops::sub {
namespace {

void forward(const ForwardCall& call) {
  arithmetic_forward(
      call, [](double a, double b) { return a - b; }, wrapping_sub);
}

void gradient(GradBuilder& g) {
  set_summed(g, 0, g.output_grad());
  if (g.operands() == 2) set_summed(g, 1, g.add("mul", {g.output_grad()}, {{"other", -1.0}}));
}

}  // namespace

OpDef define() {
  return arithmetic_op({
      .name = "sub",
      .doc = "y = a - b; shapes broadcast. Whole numbers that do not fit their dtype wrap around",
      .function = "operator.sub",
      .method = "sub",
      .torch = "xs[0] - (xs[1] if len(xs) > 1 else other)",
      .forward = forward,
      .gradient = gradient,
      .quantisable = {"data_in"},
      .onnx = {{"Sub", 7}},
  });
}

}  // namespace chop::ops::sub
