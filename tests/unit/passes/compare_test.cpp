// Comparing networks: errors computed by hand, the reference system's 81 weights row by row,
// equal and different networks, and where outputs part.
#include "analysis/compare/compare.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <limits>
#include <sstream>

#include "analysis/compare/compare_outputs.hpp"
#include "models/registry.hpp"
#include "ops/core/builder.hpp"
#include "support/rng.hpp"

namespace chop {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

NumberFormat integer(std::int64_t width, std::int64_t frac_width) {
  return {"integer", {{"width", width}, {"frac_width", frac_width}, {"is_signed", true}}};
}

/// x -> fc -> relu, with these weights.
Graph layer(std::int64_t rows, const std::vector<float>& weights) {
  const auto columns = static_cast<std::int64_t>(weights.size()) / rows;
  GraphBuilder b("layer", 1);
  Value x = b.input("x", {-1, columns});
  x = b.module("linear", "fc", {x},
               {{"in_features", columns}, {"out_features", rows}, {"bias", false}});
  x = b.module("relu", "act", {x});
  Graph graph = std::move(b).finish({x}).value();
  graph.find_parameter("fc.weight")->value = Tensor::of<float>({rows, columns}, weights);
  return graph;
}

Graph with_format(Graph graph, const std::string& node, const std::string& operand,
                  const NumberFormat& format) {
  graph.node(*graph.find(node)).formats[operand] = format;
  return graph;
}

const NodeComparison& node_of(const Comparison& comparison, std::string_view name) {
  for (const NodeComparison& node : comparison.nodes)
    if (node.name == name) return node;
  ADD_FAILURE() << name;
  return comparison.nodes.front();
}

std::vector<float> numbers(const std::string& text) {
  std::istringstream in(text);
  std::vector<float> values;
  for (float value = 0; in >> value;) values.push_back(value);
  return values;
}

TEST(ErrorMeter, MeasuresAsOneDoesByHand) {
  const std::vector<float> wanted = {1, 2, -2, 4};
  const std::vector<float> given = {1, 2.5F, -2, 3};
  ErrorMeter meter;
  meter.add(wanted.data(), given.data(), 2);
  meter.add(wanted.data() + 2, given.data() + 2, 2);
  EXPECT_EQ(meter.values(), 4);
  EXPECT_EQ(meter.different(), 2);
  EXPECT_EQ(meter.max_abs(), 1.0);
  EXPECT_EQ(meter.mse(), 1.25 / 4);
  EXPECT_DOUBLE_EQ(meter.sqnr_db(), 10 * std::log10(25 / 1.25));
}

TEST(ErrorMeter, SqnrIsInfiniteWithoutErrors) {
  ErrorMeter meter;
  EXPECT_EQ(meter.mse(), 0.0);
  EXPECT_EQ(meter.sqnr_db(), kInfinity);
  const std::vector<float> x = {0.0F, -0.0F, 3};
  const std::vector<float> y = {-0.0F, 0.0F, 3};
  meter.add(x.data(), y.data(), 3);
  EXPECT_EQ(meter.different(), 0);
  EXPECT_EQ(meter.max_abs(), 0.0);
  EXPECT_EQ(meter.sqnr_db(), kInfinity);
}

TEST(ErrorMeter, SqnrIsMinusInfinityWithoutASignal) {
  const std::vector<float> x = {0, 0};
  const std::vector<float> y = {1, 0};
  ErrorMeter meter;
  meter.add(x.data(), y.data(), 2);
  EXPECT_EQ(meter.sqnr_db(), -kInfinity);
}

TEST(ErrorMeter, WhatIsNotFiniteIsCountedAndNotMeasured) {
  const float nan = std::nanf("");
  const float inf = std::numeric_limits<float>::infinity();
  const std::vector<float> x = {nan, nan, inf, 1};
  const std::vector<float> y = {nan, 1, 8, 3};
  ErrorMeter meter;
  meter.add(x.data(), y.data(), 4);
  EXPECT_EQ(meter.not_finite(), 3);
  EXPECT_EQ(meter.different(), 3);
  EXPECT_EQ(meter.max_abs(), 2.0);
  EXPECT_EQ(meter.mse(), 4.0);
  EXPECT_TRUE(std::isnan(meter.sqnr_db())) << "a NaN became 1";
}

TEST(ErrorMeter, SqnrLeavesOutNaNAndInfinitiesThatAreEqual) {
  const float nan = std::nanf("");
  const std::vector<float> x = {nan, -std::numeric_limits<float>::infinity(), 2};
  const std::vector<float> y = {nan, -std::numeric_limits<float>::infinity(), 1};
  ErrorMeter meter;
  meter.add(x.data(), y.data(), 2);
  EXPECT_TRUE(std::isnan(meter.sqnr_db())) << "nothing was measured";
  meter.add(x.data() + 2, y.data() + 2, 1);
  EXPECT_DOUBLE_EQ(meter.sqnr_db(), 10 * std::log10(4.0));
}

TEST(Compare, AGraphEqualsItself) {
  const Graph graph = build_model("jsc-toy", {}).value();
  const Comparison found = compare_graphs(graph, graph).value();
  EXPECT_TRUE(found.equal());
  EXPECT_EQ(found.nodes.size(), graph.size());
  EXPECT_EQ(found.compression(), 1.0);
  EXPECT_EQ(found.weight_bits_before, 327 * 32);
  for (const NodeComparison& node : found.nodes) {
    EXPECT_FALSE(node.changed()) << node.name;
    EXPECT_EQ(node.type_before, node.type_after);
    for (const OperandComparison& operand : node.operands) {
      EXPECT_EQ(operand.error.different(), 0);
      EXPECT_EQ(operand.error.mse(), 0.0);
      EXPECT_EQ(operand.error.sqnr_db(), kInfinity);
      EXPECT_FALSE(operand.clipped);
      EXPECT_FALSE(operand.flushed);
    }
  }
}

TEST(Compare, CountsClippedAndFlushedValues) {
  // integer(4, 1): multiples of 0.5 from -4 to 3.5.
  const Graph before = layer(2, {0, 0.125F, -0.25F, 0.5F, 3.5F, 3.625F, -4, -9});
  const Graph after = with_format(before, "fc", "weight", integer(4, 1));
  const NodeComparison node = node_of(compare_graphs(before, after).value(), "fc");
  EXPECT_EQ(node.type_before, "Linear");
  EXPECT_EQ(node.type_after, "LinearInteger");
  EXPECT_TRUE(node.changed());
  EXPECT_FALSE(node.values_changed);
  ASSERT_EQ(node.operands.size(), 1U);
  const OperandComparison& weight = node.operands[0];
  EXPECT_EQ(weight.clipped, 2);
  EXPECT_EQ(weight.flushed, 2);
  EXPECT_EQ(weight.error.max_abs(), 5.0);
  const double error = 0.125 * 0.125 + 0.25 * 0.25 + 0.125 * 0.125 + 25;
  const double signal = 0.125 * 0.125 + 0.0625 + 0.25 + 3.5 * 3.5 + 3.625 * 3.625 + 16 + 81;
  EXPECT_DOUBLE_EQ(weight.error.mse(), error / 8);
  EXPECT_DOUBLE_EQ(weight.error.sqnr_db(), 10 * std::log10(signal / error));
  EXPECT_EQ(weight.bits_before, 8 * 32);
  EXPECT_EQ(weight.bits_after, 8 * 4);
}

TEST(Compare, BothSidesCountAsTheyCompute) {
  const Graph plain = layer(1, {0.3F, -0.7F});
  const Graph coarse = with_format(plain, "fc", "weight", integer(4, 1));
  const Graph same = layer(1, {0.5F, -0.5F});
  const Comparison found = compare_graphs(coarse, same).value();
  const NodeComparison& node = node_of(found, "fc");
  EXPECT_TRUE(node.values_changed);
  EXPECT_TRUE(node.formats_changed());
  EXPECT_EQ(node.operands[0].error.different(), 0);
  EXPECT_EQ(found.compression(), 8.0 / 64.0);
}

TEST(Compare, WithoutFormatsIsTheNetworkBefore) {
  const Graph plain = layer(1, {0.3F, -0.7F});
  const Graph coarse = with_format(plain, "fc", "weight", integer(4, 1));
  EXPECT_TRUE(has_formats(coarse));
  EXPECT_EQ(without_formats(coarse), plain);
  EXPECT_FALSE(has_formats(without_formats(coarse)));
}

TEST(Compare, WhatALearnedFormatLearnedCounts) {
  const Graph plain = layer(1, {0.3F, -0.7F, 9});
  Graph learned = with_format(plain, "fc", "weight", {"lsq_integer", {{"width", std::int64_t{4}}}});
  learned.add_parameter({"fc.weight.step", Tensor::of<float>({1}, {0.5F})});
  const OperandComparison weight =
      node_of(compare_graphs(plain, learned).value(), "fc").operands[0];
  // Steps of 0.5 from -4 to 3.5: 0.5, -0.5, 3.5.
  EXPECT_EQ(weight.clipped, 1);
  EXPECT_EQ(weight.error.max_abs(), 5.5);
  EXPECT_EQ(without_formats(learned), plain);
}

TEST(Compare, DifferentNetworksAreComparedAsFarAsTheyGo) {
  const Comparison found =
      compare_graphs(build_model("jsc-tiny", {}).value(), build_model("jsc-toy", {}).value())
          .value();
  EXPECT_FALSE(found.equal());
  EXPECT_TRUE(found.only_before.empty());
  ASSERT_FALSE(found.only_after.empty());
  EXPECT_EQ(found.only_after[0].name, "seq_blocks_4");
  EXPECT_EQ(found.only_after[0].type, "ReLU");
  const NodeComparison& node = node_of(found, "seq_blocks_2");
  ASSERT_FALSE(node.mismatches.empty());
  EXPECT_EQ(node.mismatches[0], "weight is [5, 16] before, [8, 16] after");
  EXPECT_TRUE(node_of(found, "seq_blocks_3").definition_changed);
}

TEST(Compare, DifferentInputsAreNamed) {
  const Comparison found = compare_graphs(layer(1, {1, 2}), layer(1, {1, 2, 3})).value();
  const NodeComparison& input = node_of(found, "x");
  EXPECT_TRUE(input.changed());
  ASSERT_EQ(input.mismatches.size(), 1U);
  EXPECT_NE(input.mismatches[0].find("[-1, 2]"), std::string::npos) << input.mismatches[0];
}

TEST(Compare, UnknownNodesAndOperandsGetTheNearestName) {
  const Graph graph = build_model("jsc-tiny", {}).value();
  EXPECT_EQ(effective_operand(graph, "seq_block_2", "weight").error().hint,
            "did you mean 'seq_blocks_2'? nodes with weights are seq_blocks_0, seq_blocks_2");
  EXPECT_EQ(effective_operand(graph, "seq_blocks_2", "wieght").error().hint,
            "did you mean 'weight'? --operand is one of weight, bias");
  EXPECT_EQ(effective_operand(graph, "seq_blocks_1", "weight").error().hint,
            "it owns no parameters");
}

TEST(Compare, FormatsAreShownOnceWhereTheyAgree) {
  EXPECT_EQ(display_formats({}), "float");
  EXPECT_EQ(display_formats({{"bias", integer(8, 4)}, {"weight", integer(8, 4)}}), "integer(8, 4)");
  EXPECT_EQ(display_formats(
                {{"bias", integer(8, 4)}, {"data_in_0", integer(4, 2)}, {"weight", integer(8, 4)}}),
            "bias, weight: integer(8, 4); data_in_0: integer(4, 2)");
}

// Weights and what integer(8, 4) makes of them, as a user of the reference system printed them.
struct PrintedRow {
  const char* before;
  const char* after;
};

constexpr PrintedRow kPrinted[] = {
    {"-0.0312 0.1250 -0.0923 -0.2323 -0.0515 0.1775 -0.0179 0.1851 -0.0339 0.0698 -0.0141 0.0019 "
     "-0.2413 -0.1191 -0.2104 -0.0343",
     "-0.0000 0.1250 -0.0625 -0.2500 -0.0625 0.1875 -0.0000 0.1875 -0.0625 0.0625 -0.0000 0.0000 "
     "-0.2500 -0.1250 -0.1875 -0.0625"},
    {"0.0497 -0.0559 0.0175 -0.0045 0.0795 0.1399 -0.1013 -0.0333 0.0246 0.0914 -0.0778 -0.1215 "
     "0.0155 0.1367 -0.0362 -0.2130 0.1124 -0.1671 -0.0646 -0.0880 0.0124 0.0092 -0.0666 0.0286 "
     "-0.1770 -0.0771 -0.0248 0.1295 -0.0093 -0.0011 -0.1092 -0.0055 -0.0741 -0.0980 0.1860 "
     "-0.0968 -0.0452 0.0878 0.0946 0.1057",
     "0.0625 -0.0625 0.0000 -0.0000 0.0625 0.1250 -0.1250 -0.0625 0.0000 0.0625 -0.0625 -0.1250 "
     "0.0000 0.1250 -0.0625 -0.1875 0.1250 -0.1875 -0.0625 -0.0625 0.0000 0.0000 -0.0625 0.0000 "
     "-0.1875 -0.0625 -0.0000 0.1250 -0.0000 -0.0000 -0.1250 -0.0000 -0.0625 -0.1250 0.1875 "
     "-0.1250 -0.0625 0.0625 0.1250 0.1250"},
    {"-0.3195 -0.0037 -0.2968 0.0584 0.1211 0.2713 0.1203 -0.0250 -0.1020 -0.0727 -0.0265 0.2700 "
     "-0.2691 0.3053 -0.2221 0.3354 -0.1450 -0.0420 -0.2243 -0.2594 -0.0766 0.3295 -0.1473 0.1601 "
     "-0.2462",
     "-0.3125 -0.0000 -0.3125 0.0625 0.1250 0.2500 0.1250 -0.0000 -0.1250 -0.0625 -0.0000 0.2500 "
     "-0.2500 0.3125 -0.2500 0.3125 -0.1250 -0.0625 -0.2500 -0.2500 -0.0625 0.3125 -0.1250 0.1875 "
     "-0.2500"}};

/// The numbers of every line that starts with `label`, joined by spaces.
std::string printed(const std::string& text, const std::string& label) {
  std::istringstream lines(text);
  std::string all;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string word;
    if (!(words >> word) || word != label) continue;
    while (words >> word) all += (all.empty() ? "" : " ") + word;
  }
  return all;
}

TEST(Compare, PrintsTheEightyOneWeightsOfTheReferenceSystem) {
  std::size_t count = 0;
  for (const PrintedRow& row : kPrinted) {
    const std::vector<float> weights = numbers(row.before);
    count += weights.size();
    const Graph plain = layer(1, weights);
    const Graph quantised = with_format(plain, "fc", "weight", integer(8, 4));
    const EffectiveOperand before = effective_operand(plain, "fc", "weight").value();
    const EffectiveOperand after = effective_operand(quantised, "fc", "weight").value();
    const std::string text = rows_side_by_side(before.effective, after.effective);
    EXPECT_EQ(printed(text, "before"), row.before);
    EXPECT_EQ(printed(text, "after"), row.after);
  }
  EXPECT_GT(count, 0U);
}

TEST(Compare, RowsArePrintedOneAboveTheOther) {
  const Tensor before = Tensor::of<float>({2, 2}, {0.25F, -0.01F, 1, 2});
  const Tensor after = Tensor::of<float>({2, 2}, {0.25F, -0.0F, 1, 1.5F});
  EXPECT_EQ(rows_side_by_side(before, after),
            "row 0\n"
            "  before   0.2500  -0.0100\n"
            "  after    0.2500  -0.0000\n"
            "  change   0.0000   0.0100\n"
            "row 1\n"
            "  before   1.0000   2.0000\n"
            "  after    1.0000   1.5000\n"
            "  change   0.0000  -0.5000\n");
  EXPECT_EQ(rows_side_by_side(Tensor(), Tensor()), "");
}

Split samples(std::int64_t rows, std::int64_t width) {
  Split split{.x = Tensor(DType::F32, {rows, width}), .y = Tensor(DType::I64, {rows})};
  std::uint64_t i = 0;
  for (float& value : split.x.mutable_data<float>())
    value = static_cast<float>(static_cast<double>(mix64(++i) % 2001) / 500.0 - 2.0);
  return split;
}

TEST(CompareOutputs, EqualNetworksNeverDiffer) {
  const Graph graph = build_model("jsc-tiny", {}).value();
  const OutputsComparison found =
      compare_outputs(graph, graph, samples(3000, 16), {.rows = 2500}).value();
  EXPECT_EQ(found.rows, 2500);
  EXPECT_FALSE(found.first_to_differ);
  EXPECT_EQ(found.same_predictions, 2500);
  ASSERT_EQ(found.nodes.size(), 5U);
  EXPECT_EQ(found.nodes[0].node, "x");
  EXPECT_EQ(found.nodes[3].error.values(), 2500 * 5);
  for (const OutputComparison& node : found.nodes)
    EXPECT_EQ(node.error.sqnr_db(), kInfinity) << node.node;
}

TEST(CompareOutputs, FindsTheFirstNodeThatDiffers) {
  // y = 0.3 x before, 0.5 x after: the error of a sample x is 0.2 x.
  const Graph before = layer(1, {0.3F});
  const Graph after = with_format(before, "fc", "weight", integer(4, 1));
  const Split split{.x = Tensor::of<float>({3, 1}, {1, -2, 4}), .y = Tensor(DType::I64, {3})};
  const OutputsComparison found = compare_outputs(before, after, split, {.rows = 3}).value();
  ASSERT_TRUE(found.first_to_differ);
  const OutputComparison& first = found.nodes[*found.first_to_differ];
  EXPECT_EQ(first.node, "fc");
  EXPECT_NEAR(first.error.max_abs(), 0.8, 1e-6);
  EXPECT_NEAR(first.error.mse(), 0.04 * 21 / 3, 1e-6);
  EXPECT_NEAR(first.error.sqnr_db(), 20 * std::log10(0.3 / 0.2), 1e-4);
  EXPECT_EQ(found.nodes.back().node, "act");
  EXPECT_EQ(found.nodes.back().error.different(), 2);
}

TEST(CompareOutputs, AFormatOfAResultShowsAtItsNode) {
  const Graph before = layer(1, {0.3F});
  const Graph after = with_format(before, "fc", "data_out_0", integer(4, 1));
  const Split split{.x = Tensor::of<float>({2, 1}, {1, 10}), .y = Tensor(DType::I64, {2})};
  const OutputsComparison found = compare_outputs(before, after, split, {.rows = 2}).value();
  ASSERT_TRUE(found.first_to_differ);
  EXPECT_EQ(found.nodes[*found.first_to_differ].node, "fc");
  EXPECT_NEAR(found.nodes[*found.first_to_differ].error.max_abs(), 0.2, 1e-6);
}

TEST(CompareOutputs, ResultsOfAnotherShapeAreLeftOut) {
  const OutputsComparison found =
      compare_outputs(build_model("jsc-tiny", {}).value(), build_model("jsc-toy", {}).value(),
                      samples(20, 16), {.rows = 20})
          .value();
  ASSERT_FALSE(found.left_out.empty());
  EXPECT_EQ(found.left_out[0], "seq_blocks_2: a sample is [1, 5] before, [1, 8] after");
  EXPECT_TRUE(found.has_predictions);
}

TEST(CompareOutputs, SamplesThatDoNotFitAreAnError) {
  const Graph graph = build_model("jsc-tiny", {}).value();
  const auto found = compare_outputs(graph, graph, samples(4, 7), {.rows = 4});
  ASSERT_FALSE(found);
  EXPECT_NE(found.error().what.find("[1, 16]"), std::string::npos) << found.error().what;
}

}  // namespace
}  // namespace chop
