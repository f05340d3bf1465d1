// Costs of whole networks: the published rows, precisions, shared parameters, batch sizes.
#include "analysis/cost/cost.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "compile/lower.hpp"
#include "models/registry.hpp"
#include "ops/core/registry.hpp"
#include "passes/manager.hpp"
#include "support/paths.hpp"

namespace chop {
namespace {

Graph model(const std::string& name, const Shape& sample = {}, std::int64_t classes = 0) {
  Result<Graph> graph = build_model(name, {.sample_shape = sample, .num_classes = classes});
  EXPECT_TRUE(graph) << to_string(graph.error());
  return std::move(graph).value();
}

std::string network(const std::string& file) {
  return test::source_path("tests/data/networks/" + file);
}

/// Every linear layer at integer(8, 4), as the pass quantize leaves it.
Graph with_int8_linears(Graph graph) {
  const NumberFormat format{"integer",
                            {{"width", std::int64_t{8}}, {"frac_width", std::int64_t{4}}}};
  for (const NodeId id : graph.order())
    if (graph.node(id).op == "linear")
      for (const char* operand : {"data_in_0", "weight", "bias"})
        graph.node(id).formats[operand] = format;
  return graph;
}

GraphCost cost_of(const Graph& graph, CostOptions options = {.batch = 8}) {
  Result<GraphCost> cost = count_costs(graph, options);
  EXPECT_TRUE(cost) << to_string(cost.error());
  return std::move(cost).value();
}

struct LabRow {
  std::string model;
  std::int64_t parameters, flops, with_bias, after_int8, bitops, bitops_after;
  std::int64_t exact;  ///< by hand: Σ 2·in·out per row of a linear, 4 per element of a norm and
                       ///< 3 per channel, 1 per element of a relu
};

class LabRows : public testing::TestWithParam<LabRow> {};

TEST_P(LabRows, AreReproducedInBothConventions) {
  const LabRow& row = GetParam();
  const Graph graph = model(row.model);
  const GraphCost plain = cost_of(graph);
  EXPECT_EQ(plain.parameters, row.parameters);
  EXPECT_EQ(plain.lab_flops, row.flops);
  EXPECT_EQ(plain.arithmetic.lab, row.flops);
  EXPECT_EQ(plain.lab_bitops, row.bitops);
  EXPECT_EQ(cost_of(graph, {.batch = 8, .count_bias = true}).lab_flops, row.with_bias);
  EXPECT_EQ(plain.exact_flops, row.exact);
  EXPECT_EQ(plain.exact_bitops, 32 * row.exact);

  const GraphCost quantised = cost_of(with_int8_linears(graph));
  EXPECT_EQ(quantised.lab_flops, row.after_int8);
  EXPECT_EQ(quantised.arithmetic.lab, row.flops) << "all operations are still there";
  EXPECT_EQ(quantised.lab_bitops, row.bitops_after);
  EXPECT_EQ(quantised.mac_bitops, quantised.arithmetic.macs * 64);
  EXPECT_EQ(plain.mac_bitops, plain.arithmetic.macs * 1024);
}

std::int64_t linears(std::initializer_list<std::int64_t> in_out) {
  std::int64_t sum = 0;
  for (const std::int64_t product : in_out) sum += 8 * 2 * product;
  return sum;
}
std::int64_t norms(std::initializer_list<std::int64_t> channels) {
  std::int64_t sum = 0;
  for (const std::int64_t c : channels) sum += 8 * 4 * c + 3 * c;
  return sum;
}
std::int64_t relus(std::initializer_list<std::int64_t> widths) {
  std::int64_t sum = 0;
  for (const std::int64_t width : widths) sum += 8 * width;
  return sum;
}

INSTANTIATE_TEST_SUITE_P(
    Published, LabRows,
    testing::Values(
        LabRow{"jsc-tiny", 117, 1320, 1360, 680, 42240, 26880,
               linears({16 * 5}) + norms({16}) + relus({16, 5})},
        LabRow{"jsc-toy", 327, 3336, 3504, 1480, 106752, 62208,
               linears({16 * 8, 8 * 8, 8 * 5}) + norms({16, 8, 8, 5}) + relus({16, 8, 8, 5})},
        LabRow{"jsc-s", 5615, 46408, 47728, 4168, 1485056, 471296,
               linears({16 * 64, 64 * 32, 32 * 32, 32 * 32, 32 * 5}) + norms({16, 64, 5}) +
                   relus({16, 64, 32, 32, 32, 5})},
        LabRow{"jsc-trt", 3231, 27848, 28656, 4680, 891136, 335104,
               linears({16 * 32, 32 * 48, 48 * 16, 16 * 5}) + norms({16, 32, 48, 16, 5}) +
                   relus({16, 32, 48, 16, 5})},
        LabRow{network("lab_test.toml"), 11015, 91912, 93616, 9160, 2941184, 955136,
               linears({16 * 64, 64 * 128, 128 * 8, 8 * 8, 8 * 5}) + norms({16, 64, 128, 8, 8, 5}) +
                   relus({16, 64, 128, 8, 8, 5})},
        LabRow{network("jsc_tiny_x10.toml"), 1997, 17360, 17920, 3240, 555520, 216640,
               linears({16 * 40, 40 * 25, 25 * 5}) + norms({16, 40, 25}) + relus({16, 40, 25})},
        LabRow{"toy", 130, 1024, 1168, 128, 32768, 11264,
               linears({4 * 8, 8 * 8, 8 * 2}) + relus({8, 8})}),
    [](const auto& row) {
      std::string name = std::filesystem::path(row.param.model).stem().string();
      std::replace(name.begin(), name.end(), '-', '_');
      return name;
    });

TEST(Costs, OfJscTinyNodeByNode) {
  const GraphCost cost = cost_of(model("jsc-tiny"));
  ASSERT_EQ(cost.nodes.size(), 4U);
  const NodeCost& linear = cost.nodes[2];
  EXPECT_EQ(linear.name, "seq_blocks_2");
  EXPECT_EQ(linear.precision, "float32");
  EXPECT_EQ(linear.arithmetic.macs, 640);
  EXPECT_EQ(linear.arithmetic.exact, 8 * 5 * (16 + 15 + 1));
  EXPECT_EQ(linear.arithmetic.backward, 1280);
  EXPECT_EQ(linear.bias, 40);
  EXPECT_EQ(linear.parameters, 85);
  EXPECT_EQ(linear.input_buffer, 128);
  EXPECT_EQ(linear.output_buffer, 40);
  EXPECT_EQ(linear.footprint(), 4 * (85 + 128 + 40));
  EXPECT_DOUBLE_EQ(linear.intensity(), 1280.0 / 1012);
  EXPECT_EQ(cost.nodes[0].parameter_bytes, 4 * 4 * 16) << "weight, bias and both running ones";
  EXPECT_EQ(cost.parameter_bytes, 4 * (64 + 85));
  EXPECT_EQ(cost.peak_bytes, cost.parameter_bytes + 4 * (128 + 128));
}

TEST(Costs, OfOperandsAreAtTheirPrecision) {
  const GraphCost cost = cost_of(with_int8_linears(model("jsc-tiny")));
  const NodeCost& linear = cost.nodes[2];
  EXPECT_EQ(linear.precision, "integer(8, 4)");
  EXPECT_FALSE(linear.is_float);
  EXPECT_EQ(linear.lab_flops(), 0);
  EXPECT_EQ(linear.lab_bitops(), 5120);
  EXPECT_EQ(linear.mac_bitops(), 640 * 8 * 8);
  EXPECT_EQ(linear.parameter_bytes, 85);
  EXPECT_EQ(linear.input_bytes, 128);
  EXPECT_EQ(linear.output_bytes, 160) << "nothing says that results are rounded";
}

TEST(Costs, OfSharedExponentsAreCountedPerGroup) {
  Graph graph = model("jsc-tiny");
  const NodeId linear = graph.find("seq_blocks_2").value();
  graph.node(linear).formats["weight"] = {"block_fp",
                                          {{"width", std::int64_t{7}},
                                           {"exponent_width", std::int64_t{8}},
                                           {"block_size", Ints{1, 16}}}};
  const GraphCost cost = cost_of(graph);
  EXPECT_EQ(cost.nodes[2].other_bits, 7);
  EXPECT_EQ(cost.nodes[2].parameter_bytes, (80 * 7 + 5 * 8 + 7) / 8 + 4 * 5);
}

TEST(Costs, AFormatThatDoesNotExistIsAnErrorThatNamesTheNode) {
  Graph graph = model("jsc-tiny");
  graph.node(graph.find("seq_blocks_2").value()).formats["weight"] = {"intger", {}};
  const Result<GraphCost> cost = count_costs(graph, {.batch = 8});
  ASSERT_FALSE(cost);
  EXPECT_NE(to_string(cost.error()).find("seq_blocks_2"), std::string::npos);
}

TEST(Costs, GrowWithTheBatchButForWhatIsDonePerChannel) {
  const Graph graph = model("jsc-tiny");
  const GraphCost one = cost_of(graph, {.batch = 1});
  const GraphCost many = cost_of(graph, {.batch = 1000});
  EXPECT_EQ(many.arithmetic.macs, 1000 * one.arithmetic.macs);
  EXPECT_EQ(many.lab_flops, 1000 * one.lab_flops);
  EXPECT_EQ(many.exact_flops - 48, 1000 * (one.exact_flops - 48));
  EXPECT_EQ(many.parameters, one.parameters);
}

TEST(Costs, AreTheSameInTheLoweredForm) {
  for (const char* name : {"jsc-s", "toy_convnet"}) {
    const Graph graph = model(name);
    const GraphCost cost = cost_of(graph);
    const GraphCost lowered = cost_of(lower(graph, Mode::Evaluation).graph);
    EXPECT_EQ(cost.arithmetic.macs, lowered.arithmetic.macs);
    EXPECT_EQ(cost.arithmetic.lab, lowered.arithmetic.lab);
    EXPECT_EQ(cost.arithmetic.exact, lowered.arithmetic.exact);
    EXPECT_EQ(cost.parameters, lowered.parameters);
    EXPECT_EQ(cost.parameter_bytes, lowered.parameter_bytes);
  }
}

TEST(Costs, AModuleCalledTwiceOwnsItsParametersOnce) {
  Graph graph = model(network("jsc_tiny_x10.toml"));
  const GraphCost once = cost_of(graph);
  const NodeId relu = graph.find("seq_blocks_1").value();
  const NodeId norm = graph.find("seq_blocks_0").value();
  Node again = graph.node(norm);  // inserted as seq_blocks_0_1
  again.inputs = {{norm}};
  const NodeId id = graph.insert_before(relu, again);
  graph.node(relu).inputs = {{id}};
  ASSERT_TRUE(verify(graph));
  const GraphCost twice = cost_of(graph);
  EXPECT_EQ(twice.parameters, once.parameters);
  EXPECT_EQ(twice.parameter_bytes, once.parameter_bytes);
  EXPECT_EQ(twice.arithmetic.lab, once.arithmetic.lab + 4 * 8 * 16);
}

TEST(Costs, ABatchTooLargeToCountIsAnError) {
  const Result<GraphCost> cost = count_costs(model("jsc-tiny"), {.batch = std::int64_t{1} << 40});
  ASSERT_FALSE(cost);
  EXPECT_EQ(cost.error().what,
            "shape [1099511627776, 16] has more than 1,099,511,627,776 elements");
}

TEST(Costs, AnOpWithoutARuleIsAnError) {
  OpDef op = *find_op("relu").value();
  op.cost = nullptr;
  const Result<Cost> cost = arithmetic_of(op, "act3", {}, {}, {});
  ASSERT_FALSE(cost);
  EXPECT_EQ(cost.error().what, "no rule says what relu costs, which act3 calls");
}

/// MACs at the native input, one sample. Published: 1.814 G, 0.301 G (torchvision).
TEST(Costs, OfPublishedNetworksAreThePublishedOnes) {
  const auto macs = [](const char* name, const Shape& sample, std::int64_t classes) {
    return cost_of(model(name, sample, classes), {.batch = 1}).arithmetic.macs;
  };
  EXPECT_EQ(macs("resnet18", {3, 224, 224}, 1000), 1814073344);
  EXPECT_EQ(macs("mobilenetv2", {3, 224, 224}, 1000), 300774272);
  // Σ oc · ic · 9 · h · w over the six convolutions, and three linears
  EXPECT_EQ(macs("vgg7", {3, 32, 32}, 10),
            9LL * 1024 * 128 * (3 + 128) + 9LL * 256 * 256 * (128 + 256) +
                9LL * 64 * 512 * (256 + 512) + 8192LL * 1024 + 1024LL * 1024 + 1024 * 10);
}

TEST(CalculateFlops, ReportsAndLeavesTheGraphAsItIs) {
  Graph graph = with_int8_linears(model("jsc-tiny"));
  const Graph before = graph;
  Tree args = Tree::table();
  args.set("batch_size", 8);
  const std::vector<PassCall> calls = {make_call("calculate_flops", args).value()};
  Result<std::vector<PassReport>> reports = run_passes(graph, calls, {.batch_size = 4});
  ASSERT_TRUE(reports) << to_string(reports.error());
  EXPECT_TRUE(graph == before);
  const PassOutput& output = reports.value()[0].output;
  EXPECT_NE(
      output.text.find("lab:    680 FLOPs in float of 1,320 operations in all, 26,880 BitOPs"),
      std::string::npos)
      << output.text;
  const Tree* total = output.info.find("total");
  ASSERT_NE(total, nullptr);
  EXPECT_EQ(*total->find("lab")->find("flops"), Tree(680));
  EXPECT_EQ(*total->find("lab")->find("bitops"), Tree(26880));
  EXPECT_EQ(output.info.find("nodes")->as_list()->size(), 4U);
}

TEST(CalculateFlops, ShowsTheConventionAskedFor) {
  Graph graph = model("jsc-tiny");
  for (const char* convention : {"lab", "exact"}) {
    Tree args = Tree::table();
    args.set("convention", convention);
    const std::vector<PassCall> calls = {make_call("calculate_flops", args).value()};
    const PassOutput output = run_passes(graph, calls, {}).value()[0].output;
    const bool lab = std::string_view(convention) == "lab";
    EXPECT_EQ(output.text.find("(lab)") != std::string::npos, lab);
    EXPECT_EQ(output.text.find("(exact)") != std::string::npos, !lab);
    EXPECT_EQ(output.info.find("total")->find("lab") != nullptr, lab);
  }
  Tree args = Tree::table();
  args.set("convention", "both ways");
  EXPECT_FALSE(make_call("calculate_flops", args));
  args = Tree::table();
  args.set("batch_size", 0);
  EXPECT_FALSE(make_call("calculate_flops", args));
}

}  // namespace
}  // namespace chop
