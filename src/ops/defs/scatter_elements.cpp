// y = x with y[..., indices[..., i, ...], ...] = updates[..., i, ...] along `dim`
#include "ops/families/indexing/scatter.hpp"

namespace chop::ops::scatter_elements {
namespace {

Attrs with(std::int64_t dim, const char* reduction) {
  return {{"dim", dim}, {"reduction", std::string(reduction)}};
}

}  // namespace

OpDef define() {
  const SampleInput whole = {.shape = {4}, .dtype = DType::I64};
  return scatter_op(
      Scatter::Elements,
      {
          .name = "scatter_elements",
          .doc = "x, in which each update replaces the element at its own position but for `dim`, "
                 "where its index says: y[..., indices[..., i, ...], ...] = updates[..., i, ...]. "
                 "The last one counts when several meet. A negative index counts from the end; "
                 "one that is outside is an error",
          .function = "torch.scatter",
          .method = "scatter",
          .torch = "torch.scatter(x0, dim, x1 % x0.shape[dim], x2) if reduction == 'none' else "
                   "torch.scatter_reduce(x0, dim, x1 % x0.shape[dim], x2, 'sum' if reduction == "
                   "'add' else 'prod')",
          .fx = "x0, dim, x1, x2",
          .attrs = {{"dim", 0, "the dimension of x that the indices count along"}},
          .onnx = {{"ScatterElements", 16, {{"axis", "dim"}}}},
          .samples =
              {{.attrs = with(1, "none"), .inputs = {{{3, 4}}, wholes({3, 1}, -4, 4), {{3, 1}}}},
               {.attrs = with(0, "none"), .inputs = {{{2, 3}}, wholes({1, 2}, 0, 2), {{1, 2}}}},
               {.attrs = with(-1, "add"), .inputs = {{{2, 3}}, wholes({2, 5}, -3, 3), {{2, 5}}}},
               {.attrs = with(0, "mul"),
                .inputs = {{.shape = {3, 2}, .low = 0.5},
                           wholes({4, 2}, 0, 3),
                           {.shape = {4, 2}, .low = 0.5}}},
               {.inputs = {{{1}}, wholes({1}, 0, 1), {{1}}}},
               {.attrs = with(1, "add"), .inputs = {{{2, 2}}, wholes({2, 0}, 0, 1), {{2, 0}}}},
               {.attrs = with(0, "add"),
                .inputs = {{.shape = {3}, .dtype = DType::I64}, wholes({4}, 0, 3), whole}}},
      });
}

}  // namespace chop::ops::scatter_elements
