// y = x with the dimensions start_dim .. end_dim made one
#include "ops/core/rows.hpp"
#include "ops/families/indexing/shapes.hpp"

namespace chop::ops::flatten {
namespace {

TypeList infer(const TypedCall& call) {
  const Shape& x = call.shape(0);
  CH_TRY(const std::size_t start, axis_of(call.integer("start_dim"), x.size()));
  CH_TRY(const std::size_t end, axis_of(call.integer("end_dim"), x.size()));
  if (start > end)
    return Error{.what = cat("flatten from dimension ", start, " to ", end, ", which comes before"),
                 .hint = "start_dim must not come after end_dim"};
  Shape y(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(x.empty() ? 0 : start));
  y.push_back(product(x, start, end + 1));
  if (!x.empty()) y.insert(y.end(), x.begin() + static_cast<std::ptrdiff_t>(end) + 1, x.end());
  return std::vector<TensorType>{{call.in[0].dtype, std::move(y)}};
}

bool rows_apart(const RowsCall& call) {
  return first_by_row(call) && axis_of(call.integer("start_dim"), call.shape(0).size()).value() > 0;
}

}  // namespace

OpDef define() {
  return view_op({
      .name = "flatten",
      .doc = "x with the dimensions start_dim to end_dim made one",
      .module = "Flatten",
      .method = "flatten",
      .torch = "torch.flatten(x, start_dim, end_dim)",
      .attrs = {{"start_dim", 1,
                 "first dimension to flatten; 1 keeps the batch, as the module does "
                 "(torch.flatten itself starts at 0)"},
                {"end_dim", -1, "last dimension to flatten"}},
      .infer = infer,
      .rows_apart = rows_apart,
      .onnx = {{"Flatten", 9}},
      .repr = named_arguments,
      .samples = {{.inputs = {{{2, 3, 4}}}},
                  {.inputs = {{{4, 5}}}},
                  {.attrs = {{"start_dim", 0}}, .inputs = {{{2, 1, 3}}}},
                  {.attrs = {{"start_dim", 0}}, .inputs = {{.shape = {}}}},
                  {.attrs = {{"start_dim", -3}, {"end_dim", -2}}, .inputs = {{{2, 3, 2, 2}}}},
                  {.inputs = {{{0, 3, 2}}}},
                  {.inputs = {{.shape = {2, 1, 2}, .dtype = DType::I64}}}},
  });
}

}  // namespace chop::ops::flatten
