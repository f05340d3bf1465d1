// y[i] = a[i] b[i]: matrices multiplied pairwise, no broadcasting
#include "ops/core/costs.hpp"
#include "ops/families/indexing/shapes.hpp"

namespace chop::ops::bmm {
namespace {

TypeList infer(const TypedCall& call) {
  CH_CHECK(need_real(call));
  const Shape& a = call.shape(0);
  const Shape& b = call.shape(1);
  if (a.size() != 3 || b.size() != 3 || a[0] != b[0] || a[2] != b[1])
    return Error{.what = cat("bmm cannot take ", to_string(a), " and ", to_string(b)),
                 .hint = "it needs [n, i, k] and [n, k, j]; matmul takes other ranks"};
  return std::vector<TensorType>{{call.in[0].dtype, {a[0], a[1], b[2]}}};
}

void forward(const ForwardCall& call) {
  const auto batches = static_cast<std::size_t>(call.in[0]->dim(0));
  const auto m = static_cast<std::size_t>(call.in[0]->dim(1));
  const auto k = static_cast<std::size_t>(call.in[0]->dim(2));
  const auto n = static_cast<std::size_t>(call.in[1]->dim(2));
  const auto a = call.x(0);
  const auto b = call.x(1);
  const auto y = call.y();
  for (std::size_t batch = 0; batch < batches; ++batch)
    for (std::size_t row = 0; row < m; ++row)
      for (std::size_t column = 0; column < n; ++column) {
        double sum = 0;
        for (std::size_t i = 0; i < k; ++i)
          sum += a[(batch * m + row) * k + i] * b[(batch * k + i) * n + column];
        y[(batch * m + row) * n + column] = sum;
      }
}

Value transposed(GradBuilder& g, Value matrices) {
  return g.add("transpose", {matrices}, {{"dim0", 1}, {"dim1", 2}});
}

void gradient(GradBuilder& g) {
  g.set(0, g.add("bmm", {g.output_grad(), transposed(g, g.input(1))}));
  g.set(1, g.add("bmm", {transposed(g, g.input(0)), g.output_grad()}));
}

}  // namespace

OpDef define() {
  return {
      .name = "bmm",
      .doc = "y[i] = a[i] b[i] for each matrix of the batch",
      .mase_type = MaseType::BuiltinFunc,
      .method = "bmm",
      .torch = "torch.bmm(x0, x1)",
      .min_inputs = 2,
      .infer = infer,
      .forward = forward,
      .gradient = gradient,
      .cost = matrix_product_cost,
      .quantisable = {"data_in", "weight"},
      .onnx = {{"MatMul", 1}},
      .samples = {{.inputs = {{{2, 3, 4}}, {{2, 4, 2}}}},
                  {.inputs = {{{1, 1, 1}}, {{1, 1, 1}}}},
                  {.inputs = {{{2, 3, 0}}, {{2, 0, 2}}}},
                  {.inputs = {{{0, 3, 2}}, {{0, 2, 2}}}}},
  };
}

}  // namespace chop::ops::bmm
