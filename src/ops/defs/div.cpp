// y = a / b
#include "ops/families/elementwise/arithmetic.hpp"
#include "ops/families/elementwise/whole.hpp"

namespace chop::ops::div {
namespace {

void forward(const ForwardCall& call) {
  arithmetic_forward(
      call, [](double a, double b) { return a / b; }, wrapping_div);
}

void gradient(GradBuilder& g) {
  // da = dy / b and db = -dy · y / b
  set_summed(g, 0, with_second(g, "div", g.output_grad()));
  if (g.operands() == 1) return;
  const Value scaled = g.add("mul", {g.output_grad(), g.output()});
  const Value over = g.add("div", {scaled, g.input(1)});
  set_summed(g, 1, g.add("mul", {over}, {{"other", -1.0}}));
}

}  // namespace

OpDef define() {
  return arithmetic_op({
      .name = "div",
      .doc =
          "y = a / b; shapes broadcast. Whole numbers are divided toward zero, and by zero give 0",
      .function = "operator.truediv",
      .method = "div",
      .torch = "torch.div(xs[0], xs[1] if len(xs) > 1 else other, "
               "rounding_mode=None if xs[0].is_floating_point() else 'trunc')",
      .forward = forward,
      .gradient = gradient,
      .onnx = {{"Div", 7}},
      .samples = {{.inputs = {{{4, 5}}, {.shape = {4, 5}, .low = 0.5}}},
                  {.inputs = {{{4, 5}}, {.shape = {5}, .low = -3, .high = -0.5}}},
                  {.inputs = {{{2, 1, 3}}, {.shape = {4, 1}, .low = 0.5}}},
                  {.inputs = {{.shape = {}}, {.shape = {2, 2}, .low = 0.5}}},
                  {.attrs = {{"other", -2.5}}, .inputs = {{{3, 2}}}},
                  {.inputs = {{{0, 3}}, {.shape = {1, 3}, .low = 0.5}}},
                  {.inputs = {wholes({3}, -9, 9), wholes({2, 3}, 1, 5)}},
                  {.inputs = {wholes({4}, 100, 120, DType::U8), wholes({4}, 1, 3, DType::U8)}}},
  });
}

}  // namespace chop::ops::div
