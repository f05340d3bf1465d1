// y[..., :] = weight[indices[...], :]
//
// An index outside the table is an error at the run, as in PyTorch.
#include "ops/core/checks.hpp"
#include "ops/core/common.hpp"

namespace chop::ops::embedding {
namespace {

TypeList infer(const TypedCall& call) {
  CH_CHECK(check_at_least(call, "num_embeddings", 1));
  CH_CHECK(check_at_least(call, "embedding_dim", 1));
  const std::int64_t rows = call.integer("num_embeddings");
  if (const std::int64_t padding = call.integer("padding_idx"); padding < -1 || padding >= rows)
    return Error{.what = cat("embedding cannot have padding_idx=", padding),
                 .hint = cat("use a row from 0 to ", rows - 1, ", or -1 for none")};
  if (call.in[0].dtype != DType::I64)
    return Error{.what = cat("embedding takes indices of i64, got ", name_of(call.in[0].dtype)),
                 .hint = "its input must be whole numbers: give the placeholder dtype=\"i64\""};
  CH_CHECK(check_shape(call, 1, {rows, call.integer("embedding_dim")}));
  TensorType y = {call.in[1].dtype, call.shape(0)};
  y.shape.push_back(call.integer("embedding_dim"));
  return std::vector<TensorType>{std::move(y)};
}

void forward(const ForwardCall& call) {
  const auto indices = call.indices(0);
  const auto weight = call.x(1);
  const auto y = call.y();
  const std::int64_t rows = call.in[1]->dim(0);
  const auto dim = static_cast<std::size_t>(call.in[1]->dim(1));
  for (std::size_t i = 0; i < y.size(); ++i) {
    const std::int64_t row = indices[i / dim];
    y[i] = row >= 0 && row < rows ? weight[static_cast<std::size_t>(row) * dim + i % dim]
                                  : std::numeric_limits<double>::quiet_NaN();
  }
}

void gradient(GradBuilder& g) {
  g.set(1, g.add("embedding_grad", {g.output_grad(), g.input(0)},
                 {{"num_embeddings", g.call().integer("num_embeddings")},
                  {"padding_idx", g.call().integer("padding_idx")}}));
}

double one(const Call& /*call*/) {
  return 1.0;
}

/// The padding row starts as zero and, without gradient, stays so.
void clear_padding(const Call& call, Tensor& weight) {
  const std::int64_t row = call.integer("padding_idx");
  if (row < 0 || weight.rank() != 2 || row >= weight.dim(0)) return;
  const auto dim = static_cast<std::size_t>(weight.dim(1));
  const auto values = weight.mutable_data<float>();
  for (std::size_t i = 0; i < dim; ++i) values[static_cast<std::size_t>(row) * dim + i] = 0;
}

std::string repr(const Call& call) {
  const std::int64_t padding = call.integer("padding_idx");
  return cat(call.integer("num_embeddings"), ", ", call.integer("embedding_dim"),
             padding < 0 ? "" : cat(", padding_idx=", padding));
}

}  // namespace

OpDef define() {
  const SampleInput up_to_5 = wholes({2, 3}, 0, 5);
  const SampleInput single = wholes({1}, 0, 1);
  return {
      .name = "embedding",
      .doc = "y[..., :] = weight[indices[...], :]; an index outside the table is an error",
      .mase_type = MaseType::ImplicitFunc,
      .module = "Embedding",
      .torch = "F.embedding(x, weight, padding_idx if padding_idx >= 0 else None)",
      .fx = "*xs",
      .attrs = {{"num_embeddings", 0, "rows of the table", true},
                {"embedding_dim", 0, "size of each row", true},
                {"padding_idx", -1, "row that starts as zero and is never trained"}},
      .params = {{.name = "weight",
                  .shape =
                      [](const Call& c) {
                        return Shape{c.integer("num_embeddings"), c.integer("embedding_dim")};
                      },
                  .init = {InitKind::Normal, one, clear_padding}}},
      .infer = infer,
      .forward = forward,
      .gradient = gradient,
      .cost = free_of_charge,
      .indices =
          [](const TypedCall& call) {
            return IndexOperand{
                .operand = 0, .sizes = {call.integer("num_embeddings")}, .from_end = false};
          },
      .quantisable = {"weight"},
      .onnx = {{"Gather", 1}},
      .repr = repr,
      .samples = {{.attrs = {{"num_embeddings", 5}, {"embedding_dim", 3}}, .inputs = {up_to_5}},
                  {.attrs = {{"num_embeddings", 5}, {"embedding_dim", 2}},
                   .inputs = {wholes({}, 0, 5)}},
                  {.attrs = {{"num_embeddings", 1}, {"embedding_dim", 1}}, .inputs = {single}}},
  };
}

}  // namespace chop::ops::embedding
