// y = x with elements added before and after each dimension: a constant, x mirrored at its edge,
// or its edge repeated. Negative counts cut elements off.
#include "ops/families/indexing/padding.hpp"

namespace chop::ops::pad {
namespace {

TypeList infer(const TypedCall& call) {
  CH_TRY(const Shape y, padded_shape(call, call.shape(0)));
  return std::vector<TensorType>{{call.in[0].dtype, y}};
}

void forward(const ForwardCall& call) {
  mapped_forward(call, padded_maps(call, call.in[0]->shape()), call.real("value"));
}

void gradient(GradBuilder& g) {
  g.set(0, g.add("pad_grad", {g.output_grad()},
                 {{"input_shape", g.shape(g.input(0))},
                  {"pads", g.call().ints("pads")},
                  {"mode", g.call().text("mode")}}));
}

Attrs with(Ints pads, const char* mode = "constant", double value = 0) {
  return {{"pads", std::move(pads)}, {"mode", std::string(mode)}, {"value", value}};
}

}  // namespace

OpDef define() {
  return {
      .name = "pad",
      .doc =
          "x with elements added before and after each dimension. mode: 'constant' puts `value` "
          "there, 'reflect' x mirrored at its edge, 'replicate' the edge. In mode 'constant' "
          "a negative count cuts elements off",
      .mase_type = MaseType::ImplicitFunc,
      .torch =
          "F.pad(x, [p for d in reversed(range(x.dim())) for p in (pads[d], pads[d + "
          "x.dim()])][:2 * (x.dim() if mode == 'constant' else x.dim() - 2)], mode, value)",
      .attrs = {{"pads", Ints{}, "elements before each dimension, then elements after each", true},
                padding_mode(),
                {"value", 0.0, "added in mode 'constant'"}},
      .infer = infer,
      .forward = forward,
      .gradient = gradient,
      .cost = free_of_charge,
      .samples = {{.attrs = with({1, 0, 2, 3}, "constant", 0.5), .inputs = {{{2, 3}}}},
                  {.attrs = with({-1, 1, 0, -2}), .inputs = {{{3, 4}}}},
                  {.attrs = with({0, 0, 2, 0, 0, 1}, "reflect"), .inputs = {{{1, 2, 3}}}},
                  {.attrs = with({0, 0, 1, 2, 0, 0, 0, 1}, "reflect"), .inputs = {{{1, 1, 2, 3}}}},
                  {.attrs = with({0, 0, 3, 0, 0, 2}, "replicate"), .inputs = {{{2, 1, 2}}}},
                  {.attrs = with({0, 0, 1, 2, 0, 0, 0, 3}, "replicate"),
                   .inputs = {{{1, 2, 1, 2}}}},
                  {.attrs = with({1, 2}), .inputs = {{{0}}}},
                  {.attrs = with({}), .inputs = {{.shape = {}}}},
                  {.attrs = with({2, 1}, "constant", 7.0),
                   .inputs = {{.shape = {2}, .dtype = DType::I64}}}},
  };
}

}  // namespace chop::ops::pad
