// dx of pad, given dy: each dy is added to the element of x it copied; constants copied none.
#include "ops/core/checks.hpp"
#include "ops/families/indexing/padding.hpp"

namespace chop::ops::pad_grad {
namespace {

TypeList infer(const TypedCall& call) {
  const Shape& x = call.ints("input_shape");
  CH_CHECK(need_real(call));
  CH_CHECK(check_size(call, x));
  CH_TRY(const Shape y, padded_shape(call, x));
  CH_CHECK(check_shape(call, 0, y));
  return std::vector<TensorType>{{call.in[0].dtype, x}};
}

void forward(const ForwardCall& call) {
  mapped_backward(call, padded_maps(call, call.out[0].shape()));
}

void gradient(GradBuilder& g) {
  g.set(0, g.add("pad", {g.output_grad()},
                 {{"pads", g.call().ints("pads")}, {"mode", g.call().text("mode")}}));
}

Cost cost(const CostCall& call) {
  return {.exact = call.text("mode") == "constant" ? 0 : numel(call.shape(0))};
}

}  // namespace

OpDef define() {
  return {
      .name = "pad_grad",
      .doc = "dx of pad, given dy: each dy is added to the element of x it copied",
      .mase_type = MaseType::Gradient,
      .attrs = {{"input_shape", Ints{}, "shape of x", true},
                {"pads", Ints{}, "elements before each dimension, then elements after each", true},
                {"mode", "constant", "what was added"}},
      .infer = infer,
      .forward = forward,
      .gradient = gradient,
      .cost = cost,
      .samples = {{.attrs = {{"input_shape", Ints{2, 3}}, {"pads", Ints{1, -1, 0, 2}}},
                   .inputs = {{{3, 4}}}},
                  {.attrs = {{"input_shape", Ints{3}}, {"pads", Ints{2, 1}}, {"mode", "reflect"}},
                   .inputs = {{{6}}}},
                  {.attrs = {{"input_shape", Ints{1, 2}},
                             {"pads", Ints{1, 0, 1, 2}},
                             {"mode", "replicate"}},
                   .inputs = {{{3, 4}}}}},
  };
}

}  // namespace chop::ops::pad_grad
