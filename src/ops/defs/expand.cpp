// y = x broadcast to `shape`.
#include "ops/families/indexing/shapes.hpp"

namespace chop::ops::expand {
namespace {

/// `shape` with every -1 replaced by the size x has there.
Shape wanted_shape(const TypedCall& call) {
  Shape wanted = call.ints("shape");
  const Shape& x = call.shape(0);
  for (std::size_t d = 0; d < wanted.size() && d < x.size(); ++d)
    if (std::int64_t& dim = wanted[wanted.size() - 1 - d]; dim == -1) dim = x[x.size() - 1 - d];
  return wanted;
}

TypeList infer(const TypedCall& call) {
  const Shape wanted = wanted_shape(call);
  CH_CHECK(check_size(call, wanted));
  CH_TRY(const Shape out, broadcast(call.shape(0), wanted));
  if (out != wanted)
    return Error{.what = cat("cannot expand ", to_string(call.shape(0)), " to ",
                             to_string(call.ints("shape")))};
  return std::vector<TensorType>{{call.in[0].dtype, out}};
}

void forward(const ForwardCall& call) {
  const BroadcastIndex at(call.in[0]->shape(), call.out[0].shape());
  call.with_type(0, [&]<class T>(T) {
    const auto x = call.in[0]->data<T>();
    const auto y = call.out[0].mutable_data<T>();
    for (std::size_t i = 0; i < y.size(); ++i) y[i] = x[at(i)];
  });
}

}  // namespace

OpDef define() {
  return {
      .name = "expand",
      .doc = "x broadcast to `shape`",
      .mase_type = MaseType::ImplicitFunc,
      .method = "expand",
      .torch = "x.expand(shape)",
      .attrs = {{"shape", Ints{}, "shape of the result; -1 keeps the size x has", true}},
      .infer = infer,
      .forward = forward,
      .gradient = [](GradBuilder& g) { g.set(0, g.sum_to(g.output_grad(), g.shape(g.input(0)))); },
      .cost = free_of_charge,
      .onnx = {{"Expand", 8}},
      .samples = {{.attrs = {{"shape", Ints{4, 2, 3}}}, .inputs = {{{2, 1}}}},
                  {.attrs = {{"shape", Ints{2, 2}}}, .inputs = {{{1}}}},
                  {.attrs = {{"shape", Ints{0, 3}}}, .inputs = {{{1, 3}}}},
                  {.attrs = {{"shape", Ints{3}}}, .inputs = {truths({})}}},
  };
}

}  // namespace chop::ops::expand
