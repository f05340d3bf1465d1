// dx of pad, given dy: each dy is added to the element of x it copied; constants copied none.
#include "ops/families/indexing/padding.hpp"

namespace chop::ops::pad_grad {
namespace {

void gradient(GradBuilder& g) {
  g.set(0, g.add("pad", {g.output_grad()},
                 {{"pads", g.call().ints("pads")}, {"mode", g.call().text("mode")}}));
}

Cost cost(const CostCall& call) {
  return {.exact = call.text("mode") == "constant" ? 0 : numel(call.shape(0))};
}

}  // namespace

OpDef define() {
  return mapped_grad_op<padded_shape, padded_maps>({
      .name = "pad_grad",
      .doc = "dx of pad, given dy: each dy is added to the element of x it copied",
      .attrs = {{"pads", Ints{}, "elements before each dimension, then elements after each", true},
                padding_mode()},
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
  });
}

}  // namespace chop::ops::pad_grad
