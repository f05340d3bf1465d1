// y = x with a dimension of size one put in at `dim`
#include "ops/core/rows.hpp"
#include "ops/families/indexing/shapes.hpp"

namespace chop::ops::unsqueeze {
namespace {

TypeList infer(const TypedCall& call) {
  TensorType y = call.in[0];
  CH_TRY(const std::int64_t at, normal_axis(call.integer("dim"), y.shape.size() + 1));
  y.shape.insert(y.shape.begin() + at, 1);
  return std::vector<TensorType>{std::move(y)};
}

bool rows_apart(const RowsCall& call) {
  return first_by_row(call) &&
         normal_axis(call.integer("dim"), call.shape(0).size() + 1).value() != 0;
}

}  // namespace

OpDef define() {
  return view_op({
      .name = "unsqueeze",
      .doc = "x with a dimension of size one put in at `dim`",
      .method = "unsqueeze",
      .torch = "torch.unsqueeze(x, dim)",
      .attrs = {{"dim", 0, "where the new dimension is in y", true}},
      .infer = infer,
      .rows_apart = rows_apart,
      .onnx = {{"Unsqueeze", 13}},
      .samples = {{.attrs = {{"dim", 0}}, .inputs = {{{2, 3}}}},
                  {.attrs = {{"dim", 1}}, .inputs = {{{2, 3}}}},
                  {.attrs = {{"dim", -1}}, .inputs = {{{2, 3}}}},
                  {.attrs = {{"dim", -1}}, .inputs = {{.shape = {}}}},
                  {.attrs = {{"dim", -2}}, .inputs = {{{0}}}},
                  {.attrs = {{"dim", 0}}, .inputs = {{.shape = {2}, .dtype = DType::I64}}}},
  });
}

}  // namespace chop::ops::unsqueeze
