// y[..., i, ...] = x[..., indices[..., i, ...], ...] along `dim`: y has the shape of indices
#include "ops/families/indexing/indexing.hpp"

namespace chop::ops::gather_elements {
namespace {

TypeList infer(const TypedCall& call) {
  CH_CHECK(need_whole(call, 1));
  CH_CHECK(check_elements(call, call.shape(0), call.shape(1)));
  return std::vector<TensorType>{{call.in[0].dtype, call.shape(1)}};
}

IndexOperand indices(const TypedCall& call) {
  IndexOperand found = indices_along_dim(call);
  found.from_end = call.flag("from_end");
  return found;
}

void forward(const ForwardCall& call) {
  const Shape& shape = call.in[0]->shape();
  const std::size_t axis = axis_of(call.integer("dim"), shape.size()).value();
  const Ints offsets = element_offsets(shape, *call.in[1], axis);
  take(call, offsets);
}

void gradient(GradBuilder& g) {
  const Value zeros = g.add("full", {}, {{"shape", g.shape(g.input(0))}});
  g.set(0, g.add("scatter_elements", {zeros, g.input(1), g.output_grad()},
                 {{"dim", g.call().integer("dim")}, {"reduction", "add"}}));
}

}  // namespace

OpDef define() {
  return {
      .name = "gather_elements",
      .doc =
          "y[..., i, ...] = x[..., indices[..., i, ...], ...] along `dim`, in the shape of "
          "indices. A negative index counts from the end unless `from_end` is false; one that is "
          "outside is an error",
      .mase_type = MaseType::ImplicitFunc,
      .method = "gather",
      .torch = "torch.gather(x0, dim, x1 % x0.shape[dim] if x0.dim() else x1)",
      .fx = "x0, dim, x1",
      .min_inputs = 2,
      .attrs = {{"dim", 0, "the dimension of x that the indices count along"},
                {"from_end", true, "whether a negative index counts from the end"}},
      .infer = infer,
      .forward = forward,
      .gradient = gradient,
      .cost = free_of_charge,
      .indices = indices,
      .onnx = {{"GatherElements", 11, {{"axis", "dim"}}}},
      .samples = {{.inputs = {{{4, 3}}, wholes({5, 3}, 0, 4)}},
                  {.attrs = {{"dim", 1}}, .inputs = {{{3, 4, 2}}, wholes({2, 6, 1}, -4, 4)}},
                  {.attrs = {{"dim", -1}}, .inputs = {{{2, 5}}, wholes({2, 1}, -5, 0)}},
                  {.attrs = {{"dim", 1}, {"from_end", false}},
                   .inputs = {{{2, 5}}, wholes({2, 3}, 0, 5)}},
                  {.inputs = {{{1}}, wholes({1}, 0, 1)}},
                  {.inputs = {{.shape = {}}, wholes({}, 0, 1)}},
                  {.attrs = {{"dim", 1}}, .inputs = {{{2, 3}}, wholes({2, 0}, 0, 1)}},
                  {.inputs = {{.shape = {5}, .dtype = DType::I64}, wholes({4}, -5, 5)}}},
  };
}

}  // namespace chop::ops::gather_elements
