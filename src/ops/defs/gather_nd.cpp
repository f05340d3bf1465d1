// y[b..., k..., :] = x[b..., indices[b..., k..., 0], indices[b..., k..., 1], ..., :]
#include "ops/families/indexing/indexing.hpp"

namespace chop::ops::gather_nd {
namespace {

TypeList infer(const TypedCall& call) {
  CH_CHECK(need_whole(call, 1));
  CH_TRY(const Shape y, nd_shape(call, call.shape(0), call.shape(1)));
  return std::vector<TensorType>{{call.in[0].dtype, y}};
}

void forward(const ForwardCall& call) {
  const auto batch = static_cast<std::size_t>(call.integer("batch_dims"));
  const Ints offsets = nd_offsets(call.in[0]->shape(), *call.in[1], batch);
  take(call, offsets);
}

void gradient(GradBuilder& g) {
  const Value zeros = g.add("full", {}, {{"shape", g.shape(g.input(0))}});
  g.set(0, g.add("scatter_nd", {zeros, g.input(1), g.output_grad()},
                 {{"batch_dims", g.call().integer("batch_dims")}, {"reduction", "add"}}));
}

}  // namespace

OpDef define() {
  return {
      .name = "gather_nd",
      .doc =
          "the elements or slices of x whose indices are the last dimension of `indices`: "
          "y[b..., k..., :] = x[b..., indices[b..., k..., 0], indices[b..., k..., 1], ..., :]. "
          "A negative index counts from the end; one that is outside is an error",
      .mase_type = MaseType::ImplicitFunc,
      .function = "operator.getitem",
      .torch =
          "x0[tuple(torch.arange(x0.shape[d]).reshape([-1 if e == d else 1 for e in "
          "range(x1.dim() - 1)]) for d in range(batch_dims)) + tuple(x1.movedim(-1, 0))]",
      .fx = "x0, x1",
      .min_inputs = 2,
      .attrs = {{"batch_dims", 0, "leading dimensions that x and indices share and walk together"}},
      .infer = infer,
      .forward = forward,
      .gradient = gradient,
      .cost = free_of_charge,
      .indices = indices_nd,
      .onnx = {{"GatherND", 12, {{"batch_dims", "batch_dims"}}}},
      .samples = {{.inputs = {{{3, 4}}, wholes({5, 2}, 0, 3)}},
                  {.inputs = {{{3, 2, 2}}, wholes({2, 2, 1}, -3, 3)}},
                  {.attrs = {{"batch_dims", 1}}, .inputs = {{{2, 3, 2}}, wholes({2, 4, 1}, -3, 3)}},
                  {.attrs = {{"batch_dims", 2}}, .inputs = {{{2, 2, 3}}, wholes({2, 2, 1}, 0, 3)}},
                  {.inputs = {{{1}}, wholes({1}, 0, 1)}},
                  {.inputs = {{{2, 3}}, wholes({0, 2}, 0, 1)}},
                  {.inputs = {{.shape = {4, 2}, .dtype = DType::I64}, wholes({3, 1}, -4, 4)}}},
  };
}

}  // namespace chop::ops::gather_nd
