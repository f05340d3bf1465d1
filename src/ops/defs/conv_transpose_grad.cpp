// The three gradients of a transposed convolution, given dy, x and w. For every product x·w in
// y: dx += dy · w, dw += dy · x, and db = Σ dy over batch and positions.
#include "ops/core/checks.hpp"
#include "ops/families/indexing/shapes.hpp"
#include "ops/families/layers/conv_transpose.hpp"

namespace chop::ops::conv_transpose_grad {
namespace {

TypeList infer(const TypedCall& call) {
  CH_CHECK(need_real(call));
  const Shape& w = call.shape(2);
  CH_CHECK(check_weight_rank(call, w));
  CH_TRY(const ConvShape conv, conv_transpose_shape(call, call.shape(1), w));
  CH_CHECK(check_shape(call, 0, conv_transpose_output(conv, call.shape(1))));
  return std::vector<TensorType>{call.in[1], call.in[2], {call.in[0].dtype, {conv.in_channels}}};
}

void forward(const ForwardCall& call) {
  const ConvShape conv =
      conv_transpose_shape(call, call.in[1]->shape(), call.in[2]->shape()).value();
  add_conv_gradients(call, conv.window.in.area(), [&](auto add) {
    for_each_product(conv, [&](auto at_x, auto at_y, auto at_w) { add(at_y, at_x, at_w); });
  });
}

Cost cost(const CostCall& call) {
  const std::int64_t macs = 2 * numel(call.shape(1)) * product(call.shape(2), 1);
  return {.macs = macs, .lab = macs, .exact = 2 * macs + numel(call.shape(0))};
}

}  // namespace

OpDef define() {
  return any_conv_grad_op({
      .name = "conv_transpose_grad",
      .doc = "dx, dw and db of a transposed convolution y of x with w, given dy, x and w",
      .attrs = {{"stride", Ints{1}, "step between what neighbouring inputs make"},
                {"padding", Ints{0}, "elements cut off at both ends of each dimension"},
                {"output_padding", Ints{0}, "elements added at the end of each dimension"}},
      .infer = infer,
      .forward = forward,
      .cost = cost,
      .samples = {{.inputs = {{{1, 3, 6}}, {{1, 2, 4}}, {{2, 3, 3}}}},
                  {.attrs = {{"stride", Ints{2}}, {"padding", Ints{1}}},
                   .inputs = {{{1, 1, 3, 5}}, {{1, 2, 2, 3}}, {{2, 1, 3, 3}}}}},
  });
}

}  // namespace chop::ops::conv_transpose_grad
