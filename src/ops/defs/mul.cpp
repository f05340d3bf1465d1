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
      .samples = {{.inputs = {{{4, 5}}, {{4, 5}}}},
                  {.inputs = {{{4, 5}}, {{5}}}},
                  {.inputs = {{{2, 1, 3}}, {{4, 1}}}},
                  {.inputs = {{.shape = {}}, {{2, 2}}}},
                  {.attrs = {{"other", -2.5}}, .inputs = {{{3, 2}}}},
                  {.inputs = {{{0, 3}}, {{1, 3}}}},
                  {.inputs = {{.shape = {3}, .low = -9, .high = 9, .dtype = DType::I64},
                              {.shape = {2, 3}, .low = -9, .high = 9, .dtype = DType::I64}}},
                  {.inputs = {{.shape = {4}, .low = 100, .high = 120, .dtype = DType::U8},
                              {.shape = {4}, .low = 1, .high = 3, .dtype = DType::U8}}}},
  });
}

}  // namespace chop::ops::mul
