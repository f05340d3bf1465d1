// y[.., m, n] = Σ_k a[.., m, k] b[.., k, n], leading dimensions broadcast; a vector on the left
// is one row, on the right one column, and that dimension is dropped from y
#include "ops/core/costs.hpp"
#include "ops/families/indexing/shapes.hpp"

namespace chop::ops::matmul {
namespace {

/// The product with both operands as matrices: a [batch_a.., m, k], b [batch_b.., k, n].
struct Problem {
  Shape a, b, y;  ///< matrix shapes, y before vectors' dimensions are dropped
  Shape result;
};

Shape leading(const Shape& matrix) {
  return {matrix.begin(), matrix.end() - 2};
}

Result<Problem> problem(const Shape& a, const Shape& b) {
  if (a.empty() || b.empty())
    return Error{.what = cat("matmul cannot take ", to_string(a), " and ", to_string(b)),
                 .hint = "both operands need at least one dimension; mul multiplies by a scalar"};
  Problem p{a, b, {}, {}};
  if (a.size() == 1) p.a.insert(p.a.begin(), 1);
  if (b.size() == 1) p.b.push_back(1);
  const std::int64_t inner = p.b[p.b.size() - 2];
  if (p.a.back() != inner)
    return Error{
        .what = cat("matmul cannot take ", to_string(a), " and ", to_string(b)),
        .hint = cat("the last dimension of the first, ", p.a.back(), ", must equal the ",
                    b.size() == 1 ? "only" : "second to last", " one of the second, ", inner)};
  CH_TRY(p.y, broadcast(leading(p.a), leading(p.b)));
  p.result = p.y;
  p.y.push_back(p.a[p.a.size() - 2]);
  p.y.push_back(p.b.back());
  if (a.size() > 1) p.result.push_back(p.a[p.a.size() - 2]);
  if (b.size() > 1) p.result.push_back(p.b.back());
  return p;
}

TypeList infer(const TypedCall& call) {
  CH_CHECK(need_real(call));
  CH_TRY(Problem p, problem(call.shape(0), call.shape(1)));
  return std::vector<TensorType>{{call.in[0].dtype, std::move(p.result)}};
}

void forward(const ForwardCall& call) {
  const Problem p = problem(call.in[0]->shape(), call.in[1]->shape()).value();
  const auto m = static_cast<std::size_t>(p.a[p.a.size() - 2]);
  const auto k = static_cast<std::size_t>(p.a.back());
  const auto n = static_cast<std::size_t>(p.b.back());
  const BroadcastIndex at_a(leading(p.a), leading(p.y));
  const BroadcastIndex at_b(leading(p.b), leading(p.y));
  const auto y = call.y();
  const auto batches = static_cast<std::size_t>(numel(leading(p.y)));
  for (std::size_t batch = 0; batch < batches && !y.empty(); ++batch) {
    const auto a = call.x(0).subspan(at_a(batch) * m * k, m * k);
    const auto b = call.x(1).subspan(at_b(batch) * k * n, k * n);
    for (std::size_t row = 0; row < m; ++row)
      for (std::size_t column = 0; column < n; ++column) {
        double sum = 0;
        for (std::size_t i = 0; i < k; ++i) sum += a[row * k + i] * b[i * n + column];
        y[(batch * m + row) * n + column] = sum;
      }
  }
}

Value shaped(GradBuilder& g, Value value, const Shape& shape) {
  return g.shape(value) == shape ? value : g.add("reshape", {value}, {{"shape", shape}});
}

Value transposed(GradBuilder& g, Value matrix) {
  return g.add("transpose", {matrix}, {{"dim0", -2}, {"dim1", -1}});
}

/// da = dy bᵀ and db = aᵀ dy as matrices, summed over broadcast batches, in a's and b's shapes.
void gradient(GradBuilder& g) {
  const Shape a_shape = g.shape(g.input(0));
  const Shape b_shape = g.shape(g.input(1));
  const Problem p = problem(a_shape, b_shape).value();
  const Value a = shaped(g, g.input(0), p.a);
  const Value b = shaped(g, g.input(1), p.b);
  const Value dy = shaped(g, g.output_grad(), p.y);
  const Value da = g.add("matmul", {dy, transposed(g, b)});
  g.set(0, shaped(g, g.sum_to(da, p.a), a_shape));
  const Value db = g.add("matmul", {transposed(g, a), dy});
  g.set(1, shaped(g, g.sum_to(db, p.b), b_shape));
}

}  // namespace

OpDef define() {
  return {
      .name = "matmul",
      .doc =
          "y = a b over the last two dimensions; leading ones broadcast, vectors act as one "
          "row or one column",
      .mase_type = MaseType::BuiltinFunc,
      .method = "matmul",
      .torch = "torch.matmul(x0, x1)",
      .min_inputs = 2,
      .infer = infer,
      .forward = forward,
      .gradient = gradient,
      .cost = matrix_product_cost,
      .quantisable = {"data_in", "weight"},
      .onnx = {{"MatMul", 1}},
      .samples = {{.inputs = {{{2, 3}}, {{3, 4}}}},
                  {.inputs = {{{3}}, {{3}}}},
                  {.inputs = {{{3}}, {{3, 2}}}},
                  {.inputs = {{{2, 3}}, {{3}}}},
                  {.inputs = {{{2, 1, 2, 3}}, {{2, 3, 1}}}},
                  {.inputs = {{{3}}, {{2, 3, 2}}}},
                  {.inputs = {{{2, 2, 3}}, {{3}}}},
                  {.inputs = {{{2, 2, 3}}, {{3, 2}}}},
                  {.inputs = {{{2, 3}}, {{2, 3, 2}}}},
                  {.inputs = {{{2, 0}}, {{0, 3}}}},
                  {.inputs = {{{0, 3}}, {{3, 2}}}}},
  };
}

}  // namespace chop::ops::matmul
