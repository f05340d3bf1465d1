// y = the inputs one after the other along `dim`
#include "ops/families/indexing/shapes.hpp"

namespace chop::ops::cat_ {
namespace {

TypeList infer(const TypedCall& call) {
  TensorType y = call.in[0];
  CH_TRY(const std::int64_t dim, normal_axis(call.integer("dim"), y.shape.size()));
  const auto axis = static_cast<std::size_t>(dim);
  for (std::size_t i = 1; i < call.in.size(); ++i) {
    Shape other = call.shape(i);
    if (other.size() == y.shape.size()) other[axis] = call.shape(0)[axis];
    if (other != call.shape(0))
      return Error{.what = cat("cat along dimension ", axis, " cannot join ",
                               to_string(call.shape(0)), " and ", to_string(call.shape(i))),
                   .hint = cat("all other dimensions must be equal")};
    if (call.in[i].dtype != y.dtype)
      return Error{
          .what = cat("cat cannot join ", name_of(y.dtype), " and ", name_of(call.in[i].dtype))};
    y.shape[axis] += call.shape(i)[axis];
  }
  return std::vector<TensorType>{std::move(y)};
}

void forward(const ForwardCall& call) {
  const Shape& shape = call.out[0].shape();
  const std::size_t axis = axis_of(call.integer("dim"), shape.size()).value();
  const Lanes to = lanes_of(shape, axis);
  call.with_type(0, [&]<class T>(T) {
    const auto y = call.out[0].mutable_data<T>();
    std::size_t start = 0;
    for (const Tensor* in : call.in) {
      const Lanes from = lanes_of(in->shape(), axis);
      const auto x = in->data<T>();
      for (std::size_t o = 0; o < from.outer; ++o)
        for (std::size_t j = 0; j < from.size; ++j)
          for (std::size_t i = 0; i < from.inner; ++i)
            y[to.at(o, start + j, i)] = x[from.at(o, j, i)];
      start += from.size;
    }
  });
}

void gradient(GradBuilder& g) {
  const std::int64_t dim = g.call().integer("dim");
  const std::size_t axis = axis_of(dim, g.shape(g.input(0)).size()).value();
  std::int64_t start = 0;
  for (std::size_t n = 0; n < g.operands(); ++n) {
    const std::int64_t length = g.shape(g.input(n))[axis];
    g.set(n,
          g.add("slice", {g.output_grad()}, {{"dim", dim}, {"start", start}, {"length", length}}));
    start += length;
  }
}

/// All inputs are by row, and joined within the rows.
bool rows_apart(const RowsCall& call) {
  return std::find(call.by_row.begin(), call.by_row.end(), false) == call.by_row.end() &&
         axis_of(call.integer("dim"), call.shape(0).size()).value() != 0;
}

}  // namespace

OpDef define() {
  return {
      .name = "cat",
      .doc = "the inputs joined along `dim`",
      .mase_type = MaseType::ImplicitFunc,
      .torch = "torch.cat(xs, dim)",
      .fx = "xs, dim",
      .max_inputs = kVariadic,
      .attrs = {{"dim", 0, "the dimension whose sizes add up"}},
      .infer = infer,
      .forward = forward,
      .gradient = gradient,
      .cost = free_of_charge,
      .rows_apart = rows_apart,
      .onnx = {{"Concat", 4, {{"axis", "dim"}}}},
      .samples = {{.attrs = {{"dim", 1}}, .inputs = {{{2, 3}}, {{2, 1}}, {{2, 2}}}},
                  {.inputs = {{{2, 3}}, {{1, 3}}}},
                  {.attrs = {{"dim", -2}}, .inputs = {{{2, 1, 3}}, {{2, 2, 3}}}},
                  {.inputs = {{{5}}}},
                  {.attrs = {{"dim", 1}}, .inputs = {{{2, 0}}, {{2, 2}}}},
                  {.inputs = {{.shape = {2}, .dtype = DType::I64},
                              {.shape = {3}, .dtype = DType::I64}}}},
  };
}

}  // namespace chop::ops::cat_
