// The three gradients of a convolution, given dy, x and w. For every product x·w in y:
//   dx += dy · w        dw += dy · x        and db = Σ dy over batch and positions
#include "ops/core/checks.hpp"
#include "ops/families/layers/conv.hpp"

namespace chop::ops::conv_grad {
namespace {

TypeList infer(const TypedCall& call) {
  const Shape& w = call.shape(2);
  CH_CHECK(check_weight_rank(call, w));
  CH_TRY(const ConvShape conv, conv_shape(call, call.shape(1), w));
  CH_CHECK(check_shape(call, 0, conv_output(conv, call.shape(1))));
  return std::vector<TensorType>{call.in[1], call.in[2], {call.in[0].dtype, {conv.out_channels}}};
}

void forward(const ForwardCall& call) {
  const ConvShape conv = conv_shape(call, call.in[1]->shape(), call.in[2]->shape()).value();
  add_conv_gradients(call, conv.window.out.area(), [&](auto add) { for_each_product(conv, add); });
}

Cost cost(const CostCall& call) {
  const std::int64_t macs = 2 * numel(call.shape(0)) * product(call.shape(2), 1);
  return {.macs = macs, .lab = macs, .exact = 2 * macs + numel(call.shape(0))};
}

}  // namespace

OpDef define() {
  return any_conv_grad_op({
      .name = "conv_grad",
      .doc = "dx, dw and db of a convolution y of x with w, given dy, x and w",
      .attrs = {{"stride", Ints{1}, "step between neighbouring outputs"},
                {"padding", Ints{0}, "zeros added at both ends of each dimension"}},
      .infer = infer,
      .forward = forward,
      .cost = cost,
      .samples = {{.inputs = {{{2, 3, 5}}, {{2, 2, 7}}, {{3, 2, 3}}}},
                  {.attrs = {{"padding", Ints{1}}, {"groups", 2}},
                   .inputs = {{{1, 4, 4, 3}}, {{1, 2, 4, 3}}, {{4, 1, 3, 3}}}},
                  {.attrs = {{"stride", Ints{2, 1}}, {"dilation", Ints{1, 2}}},
                   .inputs = {{{2, 1, 2, 2}}, {{2, 2, 5, 4}}, {{1, 2, 2, 2}}}},
                  {.attrs = {{"stride", Ints{1, 2, 1}}},
                   .inputs = {{{1, 1, 2, 1, 2}}, {{1, 2, 3, 2, 2}}, {{1, 2, 2, 2, 1}}}}},
  });
}

}  // namespace chop::ops::conv_grad
