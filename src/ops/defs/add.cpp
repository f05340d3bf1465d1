// y = a + b
#include "ops/families/elementwise/arithmetic.hpp"
#include "ops/families/elementwise/whole.hpp"

namespace chop::ops::add {
namespace {

void forward(const ForwardCall& call) {
  arithmetic_forward(
      call, [](double a, double b) { return a + b; }, wrapping_add);
}

void gradient(GradBuilder& g) {
  set_summed(g, 0, g.output_grad());
  if (g.operands() == 2) set_summed(g, 1, g.output_grad());
}

}  // namespace

OpDef define() {
  return arithmetic_op({
      .name = "add",
      .doc = "y = a + b; shapes broadcast. Whole numbers that do not fit their dtype wrap around",
      .function = "operator.add",
      .method = "add",
      .torch = "xs[0] + (xs[1] if len(xs) > 1 else other)",
      .traits = Trait::Commutative,
      .forward = forward,
      .gradient = gradient,
      .quantisable = {"data_in"},
      .onnx = {{"Add", 7}},
  });
}

}  // namespace chop::ops::add
