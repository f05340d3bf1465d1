// y = a / b
#include "ops/arithmetic.hpp"

namespace chop::ops {
namespace {

void forward(const ForwardCall& call) {
  arithmetic_forward(call, [](double a, double b) { return a / b; });
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

OpDef div() {
  return arithmetic_op({
      .name = "div",
      .doc = "y = a / b; shapes broadcast",
      .function = "operator.truediv",
      .method = "div",
      .torch = "xs[0] / (xs[1] if len(xs) > 1 else other)",
      .forward = forward,
      .gradient = gradient,
      .onnx = {{"Div", 7}},
      .samples = {{.inputs = {{{4, 5}}, {.shape = {4, 5}, .low = 0.5}}},
                  {.inputs = {{{4, 5}}, {.shape = {5}, .low = -3, .high = -0.5}}},
                  {.inputs = {{{2, 1, 3}}, {.shape = {4, 1}, .low = 0.5}}},
                  {.inputs = {{.shape = {}}, {.shape = {2, 2}, .low = 0.5}}},
                  {.attrs = {{"other", -2.5}}, .inputs = {{{3, 2}}}},
                  {.inputs = {{{0, 3}}, {.shape = {1, 3}, .low = 0.5}}}},
  });
}

}  // namespace chop::ops
