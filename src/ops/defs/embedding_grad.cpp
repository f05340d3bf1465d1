// dweight of an embedding, given dy and the indices: row r is the sum of dy where the index
// is r. The padding row, and indices outside the table, get nothing.
#include "ops/core/checks.hpp"
#include "ops/core/common.hpp"

namespace chop::ops::embedding_grad {
namespace {

TypeList infer(const TypedCall& call) {
  CH_CHECK(check_at_least(call, "num_embeddings", 1));
  Shape expected = call.shape(1);
  expected.push_back(call.shape(0).empty() ? 1 : call.shape(0).back());
  CH_CHECK(check_shape(call, 0, expected));
  if (call.in[1].dtype != DType::I64)
    return Error{.what =
                     cat("embedding_grad takes indices of i64, got ", name_of(call.in[1].dtype))};
  return std::vector<TensorType>{
      {call.in[0].dtype, {call.integer("num_embeddings"), expected.back()}}};
}

void forward(const ForwardCall& call) {
  const auto dy = call.x(0);
  const auto indices = call.indices(1);
  const auto dw = call.y();
  const auto dim = static_cast<std::size_t>(call.out[0].dim(1));
  for (std::size_t i = 0; i < dy.size(); ++i) {
    const std::int64_t row = indices[i / dim];
    if (row < 0 || row >= call.out[0].dim(0) || row == call.integer("padding_idx")) continue;
    dw[static_cast<std::size_t>(row) * dim + i % dim] += dy[i];
  }
}

}  // namespace

OpDef define() {
  const SampleInput indices = wholes({2, 3}, 0, 4);
  return {
      .name = "embedding_grad",
      .doc = "dweight[r, :] = Σ dy[..., :] where indices[...] = r, given dy and indices",
      .mase_type = MaseType::Gradient,
      .min_inputs = 2,
      .attrs = {{"num_embeddings", 0, "rows of the table", true},
                {"padding_idx", -1, "row that gets no gradient; -1: none"}},
      .infer = infer,
      .forward = forward,
      .cost = [](const CostCall& call) -> Cost { return {.exact = numel(call.shape(0))}; },
      .samples = {{.attrs = {{"num_embeddings", 4}}, .inputs = {{{2, 3, 2}}, indices}},
                  {.attrs = {{"num_embeddings", 4}, {"padding_idx", 0}},
                   .inputs = {{{2, 3, 1}}, indices}}},
  };
}

}  // namespace chop::ops::embedding_grad
