// y = a · b
#include "ops/families/elementwise/arithmetic.hpp"
#include "ops/families/elementwise/whole.hpp"

namespace chop::ops::mul {
namespace {

void forward(const ForwardCall& call) {
  arithmetic_forward(
      call, [](double a, double b) { return a * b; }, wrapping_mul);
}

void gradient(GradBuilder& g) {
  set_summed(g, 0, with_second(g, "mul", g.output_grad()));
  if (g.operands() == 2) set_summed(g, 1, g.add("mul", {g.output_grad(), g.input(0)}));
}

}  // namespace

OpDef define() {
  return arithmetic_op({
      .name = "mul",
      .doc = "y = a · b; shapes broadcast. Whole numbers that do not fit their dtype wrap around",
      .function = "operator.mul",
      .method = "mul",
      .torch = "xs[0] * (xs[1] if len(xs) > 1 else other)",
      .traits = Trait::Commutative,
      .forward = forward,
      .gradient = gradient,
      .quantisable = {"data_in"},
      .onnx = {{"Mul", 7}},
  });
}

}  // namespace chop::ops::mul
