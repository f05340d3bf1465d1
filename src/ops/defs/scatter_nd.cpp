// y = x with y[indices[k..., 0], indices[k..., 1], ..., :] = updates[k..., :]
#include "ops/families/indexing/scatter.hpp"

namespace chop::ops::scatter_nd {
namespace {

Attrs with(const char* reduction, std::int64_t batch = 0) {
  return {{"batch_dims", batch}, {"reduction", std::string(reduction)}};
}

}  // namespace

OpDef define() {
  return scatter_op(
      Scatter::Nd,
      {
          .name = "scatter_nd",
          .doc = "x, in which the updates replace the elements or slices whose indices are the "
                 "last dimension of indices: y[indices[k..., 0], indices[k..., 1], ..., :] = "
                 "updates[k..., :]. The last one counts when several meet. A negative index "
                 "counts from the end; one that is outside is an error",
          .method = "index_put",
          .torch = "(lambda at: x0.index_put(at, x0[at] * x2) if reduction == 'mul' else "
                   "x0.index_put(at, x2, reduction == 'add'))(tuple(torch.arange(x0.shape[d])"
                   ".reshape([-1 if e == d else 1 for e in range(x1.dim() - 1)]) for d in "
                   "range(batch_dims)) + tuple(x1.movedim(-1, 0)))",
          .attrs = {{"batch_dims", 0,
                     "leading dimensions that x and indices share and walk together"}},
          .onnx = {{"ScatterND", 16, {{"reduction", "reduction"}}}},
          .samples = {{.attrs = with("none"), .inputs = {{{3, 4}}, wholes({1, 2}, 0, 3), {{1}}}},
                      {.attrs = with("none"),
                       .inputs = {{{3, 2, 2}}, wholes({1, 1}, -3, 3), {{1, 2, 2}}}},
                      {.attrs = with("add"), .inputs = {{{3, 2}}, wholes({5, 1}, -3, 3), {{5, 2}}}},
                      {.attrs = with("add", 1),
                       .inputs = {{{2, 3, 2}}, wholes({2, 4, 1}, 0, 3), {{2, 4, 2}}}},
                      {.attrs = with("mul"), .inputs = {{{3, 2}}, wholes({1, 2}, 0, 2), {{1}}}},
                      {.attrs = with("mul", 1), .inputs = {{{3, 2}}, wholes({3, 1}, 0, 2), {{3}}}},
                      {.inputs = {{{1}}, wholes({1}, 0, 1), {.shape = {}}}},
                      {.inputs = {{{2, 2}}, wholes({0, 1}, 0, 1), {{0, 2}}}},
                      {.attrs = with("add"),
                       .inputs = {{.shape = {3}, .dtype = DType::I64},
                                  wholes({4, 1}, 0, 3),
                                  {.shape = {4}, .dtype = DType::I64}}}},
      });
}

}  // namespace chop::ops::scatter_nd
