// dx of strided_slice, given dy: zeros, with each dy where it was read from.
#include "ops/core/checks.hpp"
#include "ops/families/indexing/strided.hpp"

namespace chop::ops::strided_slice_grad {
namespace {

TypeList infer(const TypedCall& call) {
  const Shape& x = call.ints("input_shape");
  CH_CHECK(need_real(call));
  CH_CHECK(check_size(call, x));
  CH_TRY(const Shape y, strided_shape(call, x));
  CH_CHECK(check_shape(call, 0, y));
  return std::vector<TensorType>{{call.in[0].dtype, x}};
}

void forward(const ForwardCall& call) {
  mapped_backward(call, strided_maps(call, call.out[0].shape()));
}

void gradient(GradBuilder& g) {
  Attrs attrs;
  for (const char* name : {"starts", "ends", "steps"}) attrs[name] = g.call().ints(name);
  g.set(0, g.add("strided_slice", {g.output_grad()}, std::move(attrs)));
}

}  // namespace

OpDef define() {
  return {
      .name = "strided_slice_grad",
      .doc = "dx of strided_slice, given dy: zeros, with each dy where it was read from",
      .mase_type = MaseType::Gradient,
      .attrs = {{"input_shape", Ints{}, "shape of x", true},
                {"starts", Ints{}, "first index in each dimension", true},
                {"ends", Ints{}, "the index before which each dimension ends", true},
                {"steps", Ints{}, "distance between indices; empty: 1 everywhere"}},
      .infer = infer,
      .forward = forward,
      .gradient = gradient,
      .cost = free_of_charge,
      .samples = {{.attrs = {{"input_shape", Ints{4, 5}},
                             {"starts", Ints{3, 0}},
                             {"ends", Ints{0, 5}},
                             {"steps", Ints{-2, 2}}},
                   .inputs = {{{2, 3}}}},
                  {.attrs = {{"input_shape", Ints{3}}, {"starts", Ints{2}}, {"ends", Ints{2}}},
                   .inputs = {{{0}}}}},
  };
}

}  // namespace chop::ops::strided_slice_grad
