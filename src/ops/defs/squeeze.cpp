// y = x without the dimensions of size one that `dim` names
#include "ops/core/rows.hpp"
#include "ops/families/indexing/shapes.hpp"

namespace chop::ops::squeeze {
namespace {

TypeList infer(const TypedCall& call) {
  const Shape& x = call.shape(0);
  CH_TRY(const std::vector<bool> named, axes_of(call.ints("dim"), x.size()));
  Shape y;
  for (std::size_t i = 0; i < x.size(); ++i)
    if (!named[i] || x[i] != 1) y.push_back(x[i]);
  return std::vector<TensorType>{{call.in[0].dtype, std::move(y)}};
}

}  // namespace

OpDef define() {
  return view_op({
      .name = "squeeze",
      .doc = "x without the dimensions of size one among `dim`; others stay",
      .method = "squeeze",
      .torch = "torch.squeeze(x, *dim)",
      .attrs = {{"dim", Ints{}, "dimensions to drop where their size is one; empty means all"}},
      .infer = infer,
      .rows_apart = reduced_by_row,
      .onnx = {{"Squeeze", 13}},
      .samples = {{.inputs = {{{1, 3, 1, 2}}}},
                  {.attrs = {{"dim", Ints{0}}}, .inputs = {{{1, 3, 1}}}},
                  {.attrs = {{"dim", Ints{-1}}}, .inputs = {{{2, 3}}}},
                  {.inputs = {{{1, 1}}}},
                  {.attrs = {{"dim", Ints{0}}}, .inputs = {{.shape = {}}}},
                  {.inputs = {{{0, 1}}}},
                  {.inputs = {{.shape = {1, 2}, .dtype = DType::I64}}}},
  });
}

}  // namespace chop::ops::squeeze
