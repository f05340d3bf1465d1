// Looking at values inside a running network, and counting their zeros.

#include <utility>

#include "analysis/calibration/observe.hpp"
#include "compile/lower.hpp"
#include "runtime/reference.hpp"
#include "unit/passes/pass_fixture.hpp"

namespace chop {
namespace {

Split jets(std::int64_t rows) {
  Split split{.x = Tensor(DType::F32, {rows, 16}), .y = Tensor(DType::I64, {rows})};
  std::uint32_t state = 1;
  for (float& x : split.x.mutable_data<float>()) {
    state = state * 1664525U + 1013904223U;
    x = static_cast<float>(state >> 8U) / 8388608.0F - 1.0F;
  }
  return split;
}

TEST(Observe, SeesEveryValueAsItWasMade) {
  const Graph graph = zoo("jsc-tiny");
  const Split samples = jets(11);
  const Graph lowered = lower(graph, Mode::Evaluation).graph;
  const Values expected = run_reference(lowered, {{"x", samples.x}}).value();
  std::vector<Value> values;
  for (const NodeId id : graph.order())
    if (graph.node(id).opcode != Opcode::Output) values.push_back({id});
  values.push_back(values[1]);  // asked for twice
  std::vector<std::vector<float>> seen(values.size());
  const auto shapes = sample_shapes(graph, values).value();
  const Status status =
      observe(graph, values, samples, {.rows = 11}, [&](std::span<const Observation> observed) {
        for (std::size_t i = 0; i < observed.size(); ++i) {
          const std::int64_t size = numel(shapes[i]->shape) * observed[i].samples;
          seen[i].insert(seen[i].end(), observed[i].values, observed[i].values + size);
        }
      });
  ASSERT_TRUE(status) << to_string(status.error());
  for (std::size_t i = 0; i < values.size(); ++i) {
    const NodeId id = *lowered.find(graph.node(values[i].node).name);
    const auto wanted = expected[index(id)][0].data<double>();
    ASSERT_EQ(seen[i].size(), wanted.size());
    for (std::size_t j = 0; j < wanted.size(); ++j) EXPECT_NEAR(seen[i][j], wanted[j], 1e-5);
  }
}

TEST(Observe, TakesTheFirstRowsAlone) {
  const Graph graph = zoo("jsc-tiny");
  const Split samples = jets(11);
  std::int64_t rows = 0;
  const std::vector<Value> values = {{graph.placeholders()[0]}};
  ASSERT_TRUE(observe(graph, values, samples, {.rows = 5}, [&](std::span<const Observation> seen) {
    EXPECT_EQ(*seen[0].values, samples.x.data<float>()[static_cast<std::size_t>(16 * rows)]);
    rows += seen[0].samples;
  }));
  EXPECT_EQ(rows, 5);
}

TEST(Observe, SaysWhenTheSamplesDoNotFit) {
  const Graph graph = zoo("jsc-tiny");
  const Split samples{.x = Tensor(DType::F32, {3, 7}), .y = Tensor(DType::I64, {3})};
  const Status status = observe(graph, {}, samples, {.rows = 3}, [](auto) {});
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().what,
            "the network takes samples of shape [1, 16], the data set has [3, 7]");
}

TEST(NaturalSparsity, CountsZerosOfWeightsAndInputs) {
  Graph graph = zoo("jsc-tiny");
  Tensor& weight = graph.find_parameter("seq_blocks.2.weight")->value;
  for (std::size_t i = 0; i < 20; ++i) weight.mutable_data<float>()[i] = i % 2 == 0 ? 0.0F : -0.0F;
  const Split samples = jets(10);
  // batch_norm with its first statistics scales by a positive number: relu zeroes what is
  // not above zero.
  std::int64_t positive = 0;
  for (const float x : samples.x.data<float>()) positive += x > 0 ? 1 : 0;
  const Graph before = graph;
  const PassOutput output =
      must_run(graph, "add_natural_sparsity", {}, {.samples = &samples, .batch_size = 4});
  const Tree info = output.info;
  EXPECT_EQ(info["seq_blocks.2_weight"]["elements"], 80);
  EXPECT_EQ(info["seq_blocks.2_weight"]["sparsity"], 0.25);
  EXPECT_EQ(info["seq_blocks.2_weight"]["density"], 0.75);
  EXPECT_EQ(info["avg_weight"]["sparsity"], 0.25);
  EXPECT_EQ(info["seq_blocks.2_activation"]["elements"], 160);
  EXPECT_EQ(info["seq_blocks.2_activation"]["density"], static_cast<double>(positive) / 160);
  EXPECT_EQ(info["num_samples"], 10);

  const auto& args = graph.node(*graph.find("seq_blocks_2")).meta.software->args;
  EXPECT_EQ(std::get<double>(args.at("weight").extra.at("natural_sparsity")), 0.25);
  EXPECT_EQ(std::get<double>(args.at("weight").extra.at("density")), 0.75);
  EXPECT_TRUE(args.at("data_in_0").extra.contains("natural_sparsity"));
  EXPECT_EQ(std::as_const(graph).parameters(), before.parameters());
}

TEST(NaturalSparsity, AveragesAreWeightedByElements) {
  Graph graph = zoo("jsc-tiny-x10");
  Tensor& weight = graph.find_parameter("seq_blocks.2.weight")->value;  // 640 of 1765
  std::fill_n(weight.mutable_data<float>().begin(), 640, 0.0F);
  const Split samples = jets(10);
  const Tree info = must_run(graph, "add_natural_sparsity", {}, {.samples = &samples}).info;
  EXPECT_DOUBLE_EQ(info["avg_weight"]["sparsity"].number(), 640.0 / 1765);
}

TEST(NaturalSparsity, TwiceIsTheSame) {
  Graph graph = zoo("jsc-tiny");
  const Split samples = jets(10);
  Tree args;
  args.set("num_samples", 7);
  const PassContext context{.samples = &samples};
  must_run(graph, "add_natural_sparsity", args, context);
  const PassCall call = make_call("add_natural_sparsity", args).value();
  const Graph before = graph;
  ASSERT_TRUE(run_passes(graph, {&call, 1}, context));
  EXPECT_EQ(graph, before);
}

TEST(NaturalSparsity, NeedsSamplesAndAtLeastOne) {
  Tree args;
  args.set("num_samples", 0);
  EXPECT_NE(message_of(zoo("jsc-tiny"), "add_natural_sparsity", args)
                .find("num_samples is a whole number of at least 1"),
            std::string::npos);
  EXPECT_NE(message_of(zoo("jsc-tiny"), "add_natural_sparsity", {}).find("there is no data"),
            std::string::npos);
}

}  // namespace
}  // namespace chop
