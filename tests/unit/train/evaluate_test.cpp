// Evaluating a network: loss, accuracy and confusion on splits of any size.
#include "train/evaluate.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "unit/train/networks.hpp"

namespace chop {
namespace {

using test::linear_network;

/// The logits are the features themselves.
Graph three_logits() {
  return linear_network({3}, 3, {1, 0, 0, 0, 1, 0, 0, 0, 1});
}

/// Row by row: right (0), right (2), wrong (1 taken for 0), a tie (first wins: 0), right (1).
Split five_rows() {
  return {.x = Tensor::of<float>({5, 3}, {2, 0, 0, 0, 0, 3, 1, 0, 0, 1, 1, 1, 0, 9, 0}),
          .y = Tensor::of<std::int64_t>({5}, {0, 2, 1, 2, 1})};
}

TEST(Evaluate, CountsWhatIsTakenForWhat) {
  const Metrics m = evaluate(three_logits(), five_rows(), {.batch = 5, .confusion = true}).value();
  EXPECT_EQ(m.rows, 5);
  EXPECT_EQ(m.classes, 3);
  EXPECT_EQ(m.correct, 3);
  EXPECT_DOUBLE_EQ(m.accuracy(), 0.6);
  EXPECT_EQ(m.confusion, (std::vector<std::int64_t>{1, 0, 0, 1, 1, 0, 1, 0, 1}));
}

TEST(Evaluate, MeansTheCrossEntropyOverRows) {
  const Metrics m = evaluate(three_logits(), five_rows(), {.batch = 5}).value();
  const double e = std::exp(1.0);
  const double sum = std::log(std::exp(2.0) + 2) - 2 + std::log(std::exp(3.0) + 2) - 3 +
                     std::log(e + 2) + std::log(3.0) + std::log(std::exp(9.0) + 2) - 9;
  EXPECT_NEAR(m.loss, sum / 5, 1e-7);
  EXPECT_TRUE(m.confusion.empty()) << "not asked for";
}

TEST(Evaluate, GivesTheSameForEveryBatchSizeAlsoWithARaggedLastBatch) {
  const Metrics whole =
      evaluate(three_logits(), five_rows(), {.batch = 5, .confusion = true}).value();
  for (const std::int64_t batch : {1, 2, 3, 4, 100}) {
    const Metrics m =
        evaluate(three_logits(), five_rows(), {.batch = batch, .confusion = true}).value();
    EXPECT_EQ(m.rows, 5) << batch;
    EXPECT_EQ(m.correct, whole.correct) << batch;
    EXPECT_EQ(m.confusion, whole.confusion) << batch;
    EXPECT_NEAR(m.loss, whole.loss, 1e-7) << batch;
  }
}

TEST(Evaluate, GivesTheSameBitsForAnyNumberOfThreads) {
  const Graph graph = test::noisy_network();
  const Dataset data = test::toy_data(1003);
  for (const std::int64_t batch : {7, 64, 1003})
    for (const std::int64_t most : {0, 5}) {
      EvaluateOptions options{.batch = batch, .confusion = true, .most_batches = most};
      const Metrics alone = evaluate(graph, data.test, options).value();
      options.threads = 3;
      const Metrics shared = evaluate(graph, data.test, options).value();
      EXPECT_EQ(shared.rows, alone.rows);
      EXPECT_EQ(shared.correct, alone.correct);
      EXPECT_EQ(shared.confusion, alone.confusion);
      EXPECT_EQ(shared.loss, alone.loss) << batch << " " << most;
    }
}

TEST(Evaluate, StopsWhenAskedAndCountsWhatItDid) {
  const Dataset data = test::toy_data(500);
  int asked = 0;
  const Metrics m =
      evaluate(test::noisy_network(), data.test,
               {.batch = 10, .threads = 2, .stop_requested = [&] { return ++asked > 3; }})
          .value();
  EXPECT_GE(m.rows, 30);
  EXPECT_LT(m.rows, 500);
}

TEST(Evaluate, UsesRunningStatisticsAndNoDropoutSoThatRowsStandAlone) {
  const Graph graph = test::noisy_network();
  const Dataset data = test::toy_data(101);
  const Metrics whole = evaluate(graph, data.test, {.batch = 101}).value();
  const Metrics single = evaluate(graph, data.test, {.batch = 1}).value();
  const Metrics threads = evaluate(graph, data.test, {.batch = 16, .threads = 2}).value();
  EXPECT_EQ(whole.correct, single.correct);
  EXPECT_NEAR(whole.loss, single.loss, 1e-6);
  EXPECT_NEAR(whole.loss, threads.loss, 1e-6);
}

TEST(Evaluate, StopsAfterTheBatchesAskedFor) {
  const Metrics m = evaluate(three_logits(), five_rows(), {.batch = 2, .most_batches = 1}).value();
  EXPECT_EQ(m.rows, 2);
  EXPECT_EQ(m.correct, 2);
  const Metrics none =
      evaluate(three_logits(), five_rows(), {.batch = 2, .stop_requested = [] { return true; }})
          .value();
  EXPECT_EQ(none.rows, 0);
  EXPECT_EQ(none.accuracy(), 0);
  EXPECT_EQ(none.loss, 0);
}

TEST(Evaluate, FollowsTheStoreAsItChanges) {
  const Graph graph = three_logits();
  const Split split = five_rows();
  ParameterStore store = ParameterStore::from(graph).value();
  Evaluator evaluator = Evaluator::make(graph, &store, split, {.batch = 2}).value();
  EXPECT_EQ(evaluator.run().value().correct, 3);
  for (float& value : store.values()) value = -value;
  EXPECT_EQ(evaluator.run().value().correct, 1) << "only the row of the 1 taken for 0 turns";
}

TEST(Evaluate, RefusesASplitWithoutRowsAndABatchOfNone) {
  const Split empty{.x = Tensor(DType::F32, {0, 3}), .y = Tensor(DType::I64, {0})};
  const auto nothing = evaluate(three_logits(), empty, {});
  ASSERT_FALSE(nothing);
  EXPECT_EQ(nothing.error().what, "the data set has no rows");
  const auto batchless = evaluate(three_logits(), five_rows(), {.batch = 0});
  ASSERT_FALSE(batchless);
  EXPECT_EQ(batchless.error().what, "a batch of 0 rows cannot be run");
}

TEST(Evaluate, TakesNetworksWhateverTheirInputAndLayersAreCalled) {
  const std::vector<float> identity = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  for (const auto& [layer, input] : std::vector<std::pair<std::string, std::string>>{
           {"target", "x"}, {"fc", "target"}, {"loss", "x"}}) {
    const Graph graph = linear_network({3}, 3, identity, layer, input);
    const auto metrics = evaluate(graph, five_rows(), {.batch = 2});
    ASSERT_TRUE(metrics) << to_string(metrics.error());
    EXPECT_EQ(metrics.value().correct, 3) << layer << ", " << input;
  }
}

TEST(EvaluationBatch, GrowsForSmallSamplesAndIsNeverBelowTheTrainings) {
  EXPECT_EQ(evaluation_batch({16}, 128), 1024);
  EXPECT_EQ(evaluation_batch({3, 32, 32}, 128), 128);
  EXPECT_EQ(evaluation_batch({3, 32, 32}, 1), 10);
  EXPECT_EQ(evaluation_batch({16}, 4096), 4096);
  EXPECT_EQ(evaluation_batch({0}, 1), 1024);
}

std::string refusal(const Graph& graph, const Split& split, std::int64_t classes) {
  const Status status = check_fits(graph, split, classes);
  if (status) return "fits";
  return cat(status.error().what, status.error().hint.empty() ? "" : " | ", status.error().hint);
}

TEST(CheckFits, AcceptsWhatFits) {
  EXPECT_EQ(refusal(three_logits(), five_rows(), 3), "fits");
  EXPECT_EQ(refusal(three_logits(), five_rows(), 2), "fits") << "outputs to spare do no harm";
  const Split pictures{.x = Tensor(DType::F32, {2, 1, 3}), .y = Tensor(DType::I64, {2})};
  EXPECT_EQ(refusal(three_logits(), pictures, 3), "fits") << "rows may be flattened";
}

TEST(CheckFits, SaysWhatDoesNot) {
  EXPECT_EQ(refusal(three_logits(), {.x = Tensor(DType::F32, {0, 3})}, 3),
            "the data set has no rows");
  EXPECT_EQ(refusal(three_logits(), five_rows(), 5),
            "the network has 3 outputs, the data set 5 classes");
  const Split wide{.x = Tensor(DType::F32, {2, 4}), .y = Tensor(DType::I64, {2})};
  EXPECT_EQ(refusal(three_logits(), wide, 3),
            "the network takes samples of shape [3], the data set has [4] | choose a model for "
            "this data set; `ch models` lists shapes");
  const Split turned{.x = Tensor(DType::F32, {2, 2, 1, 2}), .y = Tensor(DType::I64, {2})};
  EXPECT_EQ(refusal(test::toy_network(), turned, 2),
            "the network takes samples of shape [1, 2, 2], the data set has [2, 1, 2] | choose a "
            "model for this data set; `ch models` lists shapes");
  EXPECT_EQ(refusal(Graph("hollow"), five_rows(), 3), "graph 'hollow' has no input");
}

TEST(CheckFits, RefusesNetworksWithoutRowsAtEitherEnd) {
  GraphBuilder scalar("scalar", 0);
  const Value total = scalar.function("sum", {scalar.input("x", {-1, 3})});
  EXPECT_EQ(refusal(std::move(scalar).finish({total}).value(), five_rows(), 3),
            "the network's output has shape []; classification needs [batch, classes]");
  GraphBuilder lone("lone", 0);
  const Value x = lone.input("x", {});
  EXPECT_EQ(refusal(std::move(lone).finish({x}).value(), five_rows(), 3),
            "the network's input has shape []; classification needs [batch, ...]");
}

}  // namespace
}  // namespace chop
