// Embedding: the padding row, repeated and impossible indices, refusals.
#include <gtest/gtest.h>

#include <cmath>

#include "ops/core/builder.hpp"
#include "support/call_op.hpp"

namespace chop {
namespace {

using namespace test;  // NOLINT: the vocabulary of these tests

Attrs table(std::int64_t rows, std::int64_t dim, std::int64_t padding = -1) {
  return {{"num_embeddings", rows}, {"embedding_dim", dim}, {"padding_idx", padding}};
}

TEST(Embedding, LooksUpRowsAndAddsTheGradientsOfRepeatedOnes) {
  const std::vector<Tensor> operands = {whole({3}, {2, 0, 2}), counting({3, 2})};
  EXPECT_EQ(list(call_op("embedding", operands, table(3, 2))[0]),
            (std::vector<double>{5, 6, 1, 2, 5, 6}));
  EXPECT_EQ(list(gradients_of("embedding", operands, table(3, 2)).at("x1")),
            (std::vector<double>{1, 1, 0, 0, 2, 2}));
}

TEST(Embedding, ThePaddingRowGetsNoGradient) {
  const std::vector<Tensor> operands = {whole({3}, {2, 0, 2}), counting({3, 2})};
  EXPECT_EQ(list(gradients_of("embedding", operands, table(3, 2, 2)).at("x1")),
            (std::vector<double>{1, 1, 0, 0, 0, 0}));
}

TEST(Embedding, ThePaddingRowStartsAsZeroAndTheOthersDoNot) {
  GraphBuilder b("net", 0);
  const Value x = b.input("x", {-1}, DType::I64);
  const Value y = b.module("embedding", "table", {x}, table(3, 2, 1));
  const Graph graph = std::move(b).finish({y}).value();
  const Tensor& weight = graph.find_parameter("table.weight")->value;
  for (std::int64_t i = 0; i < weight.size(); ++i)
    EXPECT_EQ(weight.at(i) == 0, i == 2 || i == 3) << i;
}

TEST(Embedding, PrintsAsPyTorchDoes) {
  EXPECT_EQ(repr_of("embedding", table(10, 3)), "Embedding(10, 3)");
  EXPECT_EQ(repr_of("embedding", table(10, 3, 0)), "Embedding(10, 3, padding_idx=0)");
}

TEST(Embedding, RefusalsSayWhatWouldWork) {
  EXPECT_EQ(refusal("embedding", {counting({2}), counting({3, 2})}, table(3, 2)),
            "embedding takes indices of i64, got f64 | its input must be whole numbers: give the "
            "placeholder dtype=\"i64\"");
  EXPECT_EQ(refusal("embedding", {whole({1}, {0}), counting({3, 2})}, table(3, 2, 3)),
            "embedding cannot have padding_idx=3 | use a row from 0 to 2, or -1 for none");
}

}  // namespace
}  // namespace chop
