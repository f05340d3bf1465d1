// What is kept between candidates must not show in what comes out.
#include "search/evaluation/staged_evaluator.hpp"

#include <gtest/gtest.h>

#include "passes/quantise_nodes.hpp"
#include "support/search_problems.hpp"

namespace chop {
namespace {

using test::random_rows;
using test::zoo;

std::vector<NodeId> linear_layers(const Graph& graph) {
  std::vector<NodeId> found;
  for (const NodeId id : graph.order())
    if (graph.node(id).op == "linear" || graph.node(id).op == "conv2d") found.push_back(id);
  return found;
}

/// The graph with random integer widths at its layers; sometimes none.
Graph with_random_formats(const Graph& graph, const std::vector<NodeId>& nodes,
                          const Stream& stream) {
  Graph made = graph;
  std::uint64_t n = 0;
  for (const NodeId id : nodes) {
    made.node(id).formats.clear();
    for (const char* operand : {"data_in_0", "weight"}) {
      const auto width = static_cast<std::int64_t>(2 * stream.below(n++, 5));
      if (width > 0)
        made.node(id).formats[operand] = {
            "integer", {{"width", width}, {"frac_width", width / 2}, {"is_signed", true}}};
    }
  }
  return made;
}

void expect_same(const Metrics& a, const Metrics& b) {
  EXPECT_EQ(a.rows, b.rows);
  EXPECT_EQ(a.correct, b.correct);
  EXPECT_NEAR(a.loss, b.loss, 1e-6 * (1 + std::abs(b.loss)));
  EXPECT_EQ(a.confusion, b.confusion);
}

TEST(StagedEvaluator, AgreesWithEvaluatingTheWholeNetwork) {
  const Split rows = random_rows(1000, {16}, 5, 4);
  for (const char* name : {"jsc-tiny", "jsc-s", "jsc-trt"}) {
    const Graph graph = zoo(name);
    const std::vector<NodeId> layers = linear_layers(graph);
    for (const int threads : {1, 2}) {
      auto evaluator =
          StagedEvaluator::make(graph, layers, rows,
                                {.rows = 950, .batch = 100, .threads = threads, .confusion = true})
              .value();
      for (std::uint64_t i = 0; i < 30; ++i) {
        // The first layers seldom change, so that much is kept.
        const Graph candidate = with_random_formats(graph, layers, Stream(i / 5, "formats", i % 2));
        const Metrics staged = evaluator->run(candidate).value();
        const Metrics whole =
            evaluate(candidate, rows, {.batch = 50, .confusion = true, .most_batches = 19}).value();
        expect_same(staged, whole);
      }
      EXPECT_GT(evaluator->work().stages_kept, 0) << name;
    }
  }
}

TEST(StagedEvaluator, CutsOnlyWhereOneValueFlows) {
  const Graph graph = zoo("resnet18", {3, 32, 32}, 10);
  const std::vector<NodeId> layers = linear_layers(graph);
  const std::vector<GraphStage> stages = cut_into_stages(graph, layers).value();
  EXPECT_GT(stages.size(), 5U);
  EXPECT_LT(stages.size(), layers.size());  // no cut beside a residual connection
  const Split rows = random_rows(6, {3, 32, 32}, 10, 5);
  auto evaluator = StagedEvaluator::make(graph, layers, rows, {.batch = 4}).value();
  for (std::uint64_t i = 0; i < 4; ++i) {
    const Graph candidate = with_random_formats(graph, layers, Stream(i / 2, "formats"));
    expect_same(evaluator->run(candidate).value(), evaluate(candidate, rows, {.batch = 3}).value());
  }
}

TEST(StagedEvaluator, RunsOnlyWhatChanged) {
  const Graph graph = zoo("jsc-s");
  const std::vector<NodeId> layers = linear_layers(graph);
  const Split rows = random_rows(64, {16}, 5, 6);
  auto evaluator = StagedEvaluator::make(graph, layers, rows, {.batch = 64}).value();
  const auto stages = static_cast<std::int64_t>(evaluator->stage_count());
  EXPECT_EQ(stages, 6);  // what is before the first layer, and each layer with what follows
  const auto candidate = [&](std::int64_t width) {
    Graph made = graph;
    made.node(layers.back()).formats["weight"] = {
        "integer", {{"width", width}, {"frac_width", std::int64_t{2}}}};
    return made;
  };
  evaluator->run(candidate(4)).value();
  EXPECT_EQ(evaluator->work().stages_run, stages);
  evaluator->run(candidate(4)).value();  // the very same: nothing is run
  EXPECT_EQ(evaluator->work().stages_run, stages);
  evaluator->run(candidate(5)).value();  // values before the last layer come a second time: kept
  EXPECT_EQ(evaluator->work().stages_run, 2 * stages);
  EXPECT_EQ(evaluator->work().plans_made, stages + 1);
  evaluator->run(candidate(6)).value();
  EXPECT_EQ(evaluator->work().stages_run, 2 * stages + 1);
  EXPECT_EQ(evaluator->work().stages_kept, stages - 1);
}

TEST(StagedEvaluator, TellsPartsAndStops) {
  const Graph graph = zoo("jsc-tiny");
  const Split rows = random_rows(1000, {16}, 5, 7);
  auto evaluator = StagedEvaluator::make(graph, linear_layers(graph), rows, {.batch = 100}).value();
  std::vector<std::int64_t> seen;
  const Metrics all = evaluator
                          ->run(graph, 0,
                                [&](std::int64_t part, const Metrics& so_far) {
                                  EXPECT_EQ(so_far.rows, part * 200);
                                  seen.push_back(part);
                                  return false;
                                })
                          .value();
  EXPECT_EQ(seen, (std::vector<std::int64_t>{1, 2, 3, 4}));
  EXPECT_EQ(all.rows, 1000);
  const Metrics some =
      evaluator->run(graph, 0, [](std::int64_t, const Metrics&) { return true; }).value();
  EXPECT_EQ(some.rows, 200);
}

TEST(Lru, DropsTheLeastRecentlyUsed) {
  Lru<int> cache(10);
  cache.put("a", std::make_shared<int>(1), 4);
  cache.put("b", std::make_shared<int>(2), 4);
  ASSERT_NE(cache.find("a"), nullptr);
  cache.put("c", std::make_shared<int>(3), 4);
  EXPECT_EQ(cache.find("b"), nullptr);
  EXPECT_EQ(*cache.find("a"), 1);
  EXPECT_EQ(*cache.find("c"), 3);
  EXPECT_EQ(cache.used(), 8U);
  cache.put("huge", std::make_shared<int>(4), 11);
  EXPECT_EQ(cache.find("huge"), nullptr);
  EXPECT_EQ(cache.size(), 2U);
}

}  // namespace
}  // namespace chop
