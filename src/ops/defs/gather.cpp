// y = x with dimension `dim` replaced by the elements that `indices` selects:
//   y[a..., k..., b...] = x[a..., indices[k...], b...]
#include "ops/families/indexing/indexing.hpp"

namespace chop::ops::gather {
namespace {

TypeList infer(const TypedCall& call) {
  CH_CHECK(need_whole(call, 1));
  const Shape& x = call.shape(0);
  CH_TRY(const std::int64_t dim, normal_axis(call.integer("dim"), x.size()));
  Shape y(x.begin(), x.begin() + dim);
  y.insert(y.end(), call.shape(1).begin(), call.shape(1).end());
  y.insert(y.end(), x.begin() + dim + 1, x.end());
  CH_CHECK(check_size(call, y));
  return std::vector<TensorType>{{call.in[0].dtype, std::move(y)}};
}

void forward(const ForwardCall& call) {
  const Shape& shape = call.in[0]->shape();
  const std::size_t axis = axis_of(call.integer("dim"), shape.size()).value();
  const Lanes from = lanes_of(shape, axis);
  const auto indices = call.indices(1);
  call.with_type(0, [&]<class T>(T) {
    const auto x = call.in[0]->data<T>();
    const auto y = call.out[0].mutable_data<T>();
    std::size_t at = 0;
    for (std::size_t o = 0; o < from.outer; ++o)
      for (const std::int64_t index : indices) {
        const auto found = checked_index(index, shape[axis]);
        for (std::size_t i = 0; i < from.inner; ++i)
          y[at++] = found ? x[from.at(o, *found, i)] : outside<T>();
      }
  });
}

void gradient(GradBuilder& g) {
  g.set(0, g.add("gather_grad", {g.output_grad(), g.input(1)},
                 {{"dim", g.call().integer("dim")}, {"input_shape", g.shape(g.input(0))}}));
}

}  // namespace

OpDef define() {
  return {
      .name = "gather",
      .doc =
          "x at the indices of dimension `dim` that the second input holds, in its shape: "
          "y[a..., k..., b...] = x[a..., indices[k...], b...]. A negative index counts from "
          "the end; one that is outside is an error",
      .mase_type = MaseType::ImplicitFunc,
      .function = "torch.index_select",
      .torch =
          "x0.index_select(dim, x1.reshape(-1) % x0.shape[dim]).reshape("
          "x0.shape[:dim % x0.dim()] + x1.shape + x0.shape[dim % x0.dim() + 1:])",
      .fx = "x0, dim, x1",
      .min_inputs = 2,
      .attrs = {{"dim", 0, "the dimension of x that the indices count along"}},
      .infer = infer,
      .forward = forward,
      .gradient = gradient,
      .cost = free_of_charge,
      .indices = indices_along_dim,
      .onnx = {{"Gather", 1, {{"axis", "dim"}}}},
      .samples = {{.inputs = {{{4, 3}}, wholes({2, 3}, 0, 4)}},
                  {.attrs = {{"dim", 1}}, .inputs = {{{2, 3, 2}}, wholes({4}, -3, 3)}},
                  {.attrs = {{"dim", -1}}, .inputs = {{{2, 5}}, wholes({}, -5, 0)}},
                  {.inputs = {{{1}}, wholes({1, 1}, 0, 1)}},
                  {.attrs = {{"dim", 1}}, .inputs = {{{2, 3}}, wholes({0}, 0, 1)}},
                  {.inputs = {{.shape = {5}, .dtype = DType::I64}, wholes({2, 2}, -5, 5)}},
                  {.inputs = {truths({3, 2}), wholes({3}, 0, 3)}}},
  };
}

}  // namespace chop::ops::gather
