// The quantize pass: who gets which format, what is refused, and that the numbers are those of
// an independent forward.
#include <gtest/gtest.h>

#include <cmath>

#include "analysis/compare/quantisation_summary.hpp"
#include "compile/lower.hpp"
#include "formats/quantiser.hpp"
#include "models/network.hpp"
#include "models/registry.hpp"
#include "passes/manager.hpp"
#include "runtime/reference.hpp"
#include "support/rng.hpp"

namespace chop {
namespace {

Tree table(std::initializer_list<std::pair<const char*, Tree>> entries) {
  Tree tree = Tree::table();
  for (const auto& [key, value] : entries) tree.set(key, value);
  return tree;
}

Tree config(std::initializer_list<std::pair<const char*, Tree>> entries) {
  return table({{"config", table(entries)}});
}

Tree integer84() {
  return config({{"name", "integer"},
                 {"data_in_width", 8},
                 {"data_in_frac_width", 4},
                 {"weight_width", 8},
                 {"weight_frac_width", 4},
                 {"bias_width", 8},
                 {"bias_frac_width", 4}});
}

Result<Graph> quantised(Graph graph, const Tree& args, const PassContext& context = {}) {
  CH_TRY(const PassCall call, make_call("quantize", args));
  CH_TRY(const auto reports, run_passes(graph, {&call, 1}, context));
  return graph;
}

Error mistake(const Tree& args, const char* model = "jsc-tiny") {
  const Result<Graph> graph = quantised(build_model(model, {}).value(), args);
  EXPECT_FALSE(graph);
  return graph ? Error{} : graph.error();
}

NumberFormat integer(std::int64_t width, std::int64_t frac_width, bool is_signed = true) {
  return {"integer", {{"width", width}, {"frac_width", frac_width}, {"is_signed", is_signed}}};
}

TEST(Quantize, ByTypeGivesEveryLinearLayerItsFormats) {
  const Graph graph = quantised(build_model("jsc-toy", {}).value(),
                                table({{"by", "type"}, {"linear", integer84()}}))
                          .value();
  for (const NodeId id : graph.order()) {
    const Node& node = graph.node(id);
    if (node.op != "linear") {
      EXPECT_TRUE(node.formats.empty()) << node.name;
      continue;
    }
    ASSERT_EQ(node.formats.size(), 3U) << node.name;
    EXPECT_EQ(node.formats.at("weight"), integer(8, 4));
    const CommonMeta& meta = *node.meta.common;
    for (const char* operand : {"data_in_0", "weight", "bias"}) {
      EXPECT_EQ(meta.args.at(operand).type, "integer");
      EXPECT_EQ(meta.args.at(operand).precision, (std::vector<std::int64_t>{8, 4}));
    }
    EXPECT_EQ(meta.results.at("data_out_0").type, "float");
  }
}

TEST(Quantize, TheHistogramIsTheReferenceSystems) {
  const Graph graph = quantised(build_model("jsc-tiny", {}).value(),
                                table({{"by", "type"}, {"linear", integer84()}}))
                          .value();
  EXPECT_EQ(render(quantisation_histogram(graph), {.style = TableStyle::Orgtbl}),
            "| Original type   | OP           |   Total |   Changed |   Unchanged |\n"
            "|-----------------+--------------+---------+-----------+-------------|\n"
            "| BatchNorm1d     | batch_norm1d |       1 |         0 |           1 |\n"
            "| Linear          | linear       |       1 |         1 |           0 |\n"
            "| ReLU            | relu         |       2 |         0 |           2 |\n"
            "| output          | output       |       1 |         0 |           1 |\n"
            "| x               | placeholder  |       1 |         0 |           1 |\n");
  EXPECT_EQ(quantised_type(graph.node(*graph.find("seq_blocks_2"))), "LinearInteger");
}

TEST(Quantize, ByNameAndByPatternSelectNodes) {
  const Graph named = quantised(build_model("jsc-toy", {}).value(),
                                table({{"by", "name"}, {"seq_blocks_5", integer84()}}))
                          .value();
  const Graph matched = quantised(build_model("jsc-toy", {}).value(),
                                  table({{"by", "regex_name"}, {"seq_blocks_[58]", integer84()}}))
                            .value();
  const auto is = [](const Graph& graph, const char* name) {
    return is_quantised(graph.node(*graph.find(name)));
  };
  EXPECT_FALSE(is(named, "seq_blocks_2"));
  EXPECT_TRUE(is(named, "seq_blocks_5"));
  EXPECT_FALSE(is(named, "seq_blocks_8"));
  EXPECT_FALSE(is(matched, "seq_blocks_2"));
  EXPECT_TRUE(is(matched, "seq_blocks_5"));
  EXPECT_TRUE(is(matched, "seq_blocks_8"));
}

TEST(Quantize, DefaultIsForAllOthersAndNAAndBypassLeaveNodesAlone) {
  Tree all = table({{"name", "integer"},
                    {"data_in_width", 8},
                    {"data_in_frac_width", 4},
                    {"weight_width", 6},
                    {"weight_frac_width", 3}});
  Tree bypassed = *integer84().find("config");
  bypassed.set("bypass", true);
  const Graph graph = quantised(build_model("jsc-toy", {}).value(),
                                table({{"by", "name"},
                                       {"default", table({{"config", all}})},
                                       {"seq_blocks_2", table({{"config", bypassed}})},
                                       {"seq_blocks_5", config({{"name", Tree()}})}}))
                          .value();
  EXPECT_TRUE(graph.node(*graph.find("seq_blocks_2")).formats.empty());
  EXPECT_TRUE(graph.node(*graph.find("seq_blocks_5")).formats.empty());
  EXPECT_EQ(graph.node(*graph.find("seq_blocks_8")).formats.at("weight"), integer(6, 3));
  EXPECT_FALSE(graph.node(*graph.find("seq_blocks_8")).formats.contains("bias"));
  // relu needs no sign
  EXPECT_EQ(graph.node(*graph.find("seq_blocks_1")).formats.at("data_in_0"), integer(8, 4, false));
}

TEST(Quantize, MistakesNameTableNodeAndKey) {
  EXPECT_EQ(mistake(table({{"by", "type"}, {"liner", integer84()}})).what,
            "passes.quantize.liner: no such type");
  EXPECT_EQ(mistake(table({{"by", "type"}, {"flatten", integer84()}})).what,
            "passes.quantize.flatten: nodes of this type carry no number formats");
  EXPECT_EQ(mistake(table({{"by", "name"}, {"seq_blocks_9", integer84()}})).what,
            "passes.quantize.seq_blocks_9: no such node");
  EXPECT_NE(mistake(table({{"by", "regex_name"}, {"([", integer84()}})).what.find("not a regular"),
            std::string::npos);
  EXPECT_EQ(mistake(table({{"by", "regex_name"}, {"conv.*", integer84()}})).what,
            "passes.quantize.conv.*: matches the name of no node");
  EXPECT_EQ(mistake(table({{"by", "type"}, {"linear", config({{"name", "integr"}})}})).what,
            "unknown number format 'integr'");
  EXPECT_EQ(mistake(table({{"by", "type"},
                           {"linear", config({{"name", "integer"}, {"data_in_widht", 8}})}}))
                .what,
            "'data_in_widht' is no key of the format integer");
  const auto hint_for = [&](const char* key) {
    return mistake(table({{"by", "type"}, {"linear", config({{"name", "integer"}, {key, 8}})}}))
        .hint;
  };
  EXPECT_TRUE(hint_for("data_in_widht").starts_with("did you mean 'data_in_width'? "));
  EXPECT_TRUE(hint_for("widht").starts_with("did you mean 'width'? "));
  const Error missing = mistake(
      table({{"by", "type"}, {"linear", config({{"name", "integer"}, {"data_in_width", 8}})}}));
  EXPECT_NE(missing.what.find("node 'seq_blocks_2', weight_*"), std::string::npos) << missing.what;
  EXPECT_NE(missing.what.find("width"), std::string::npos) << missing.what;
  const Error unfit = mistake(table({{"by", "type"},
                                     {"relu", config({{"name", "integer"},
                                                      {"data_in_width", 8},
                                                      {"data_in_frac_width", 4},
                                                      {"weight_width", 8}})}}));
  EXPECT_EQ(unfit.what, "passes.quantize.relu.config: weight_width fits no node");
  EXPECT_EQ(mistake(table({{"by", "type"}, {"linear", table({{"name", "integer"}})}})).what,
            "passes.quantize.linear has no config");
  Tree two = integer84();
  two["width"] = 8;
  EXPECT_EQ(mistake(table({{"by", "type"}, {"linear", two}})).what,
            "unknown key 'passes.quantize.linear.width'");
}

TEST(Quantize, RunningItTwiceGivesTheSameGraph) {
  const Tree args = table({{"by", "type"}, {"linear", integer84()}});
  const Graph once = quantised(build_model("jsc-tiny", {}).value(), args).value();
  EXPECT_EQ(quantised(once, args).value(), once);
}

/// Samples of a normal distribution, scaled.
Split normal_rows(std::int64_t rows, std::int64_t width, double scale) {
  Split split{.x = Tensor(DType::F32, {rows, width}), .y = Tensor(DType::I64, {rows})};
  const Stream stream(1, "test");
  const auto x = split.x.mutable_data<float>();
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(scale * stream.normal(i));
  return split;
}

TEST(Quantize, AFracWidthThatIsNotGivenIsChosenFromData) {
  const Split samples = normal_rows(1000, 16, 1.0);
  const PassContext context{.samples = &samples};
  const Tree widths = config({{"name", "integer"},
                              {"data_in_width", 8},
                              {"weight_width", 8},
                              {"weight_frac_width", "auto"},
                              {"bias_width", 8},
                              {"bias_frac_width", Tree()}});
  for (const char* method : {"min_max", "quantile", "mse", "kl"}) {
    Tree args = table({{"by", "type"}, {"linear", widths}, {"calibration", method}});
    const Graph graph = quantised(build_model("jsc-tiny", {}).value(), args, context).value();
    const auto& formats = graph.node(*graph.find("seq_blocks_2")).formats;
    // weights lie within ±1/4: 2^-9 is the finest step that cuts off next to nothing
    const auto weight = std::get<std::int64_t>(formats.at("weight").config.at("frac_width"));
    EXPECT_GE(weight, 8) << method;
    EXPECT_LE(weight, 10) << method;
    EXPECT_EQ(formats.at("bias"), integer(8, 4)) << method;
    // "NA" was width // 2; normalised and rectified activations of 16,000 values reach about 4
    const auto data = std::get<std::int64_t>(formats.at("data_in_0").config.at("frac_width"));
    EXPECT_GE(data, 4) << method;
    EXPECT_LE(data, 6) << method;
  }
}

TEST(Quantize, ActivationsCannotBeCalibratedWithoutData) {
  const Error error = mistake(table(
      {{"by", "type"},
       {"linear", config({{"name", "integer"}, {"data_in_width", 8}, {"weight_width", 8}})}}));
  EXPECT_EQ(
      error.what,
      "node 'seq_blocks_2', data_in_0: its range is to be chosen from data, and there is none");
}

TEST(Quantize, LearnedFormatsGetAParameterPerOperand) {
  const Split samples = normal_rows(100, 16, 1.0);
  const Graph graph =
      quantised(
          build_model("jsc-tiny", {}).value(),
          table({{"by", "type"},
                 {"linear",
                  config({{"name", "lsq_integer"}, {"data_in_width", 4}, {"weight_width", 4}})}}),
          {.samples = &samples})
          .value();
  const Parameter* step = graph.find_parameter("seq_blocks.2.weight.step");
  ASSERT_NE(step, nullptr);
  EXPECT_TRUE(step->trainable);
  double sum = 0;
  const Tensor& weight = graph.find_parameter("seq_blocks.2.weight")->value;
  for (const float value : weight.data<float>()) sum += std::fabs(double{value});
  EXPECT_NEAR(step->value.at(0), 2 * sum / 80 / std::sqrt(7.0), 1e-6);
  EXPECT_NE(graph.find_parameter("seq_blocks.2.data_in_0.step"), nullptr);
}

TEST(Quantize, ChangingTheFormatRemovesLearnedParameters) {
  const Split samples = normal_rows(100, 16, 1.0);
  const Graph learned =
      quantised(
          build_model("jsc-tiny", {}).value(),
          table({{"by", "type"},
                 {"linear",
                  config({{"name", "lsq_integer"}, {"data_in_width", 4}, {"weight_width", 4}})}}),
          {.samples = &samples})
          .value();
  EXPECT_EQ(learned.parameter_count(), 119);
  const Graph plain = quantised(learned, table({{"by", "type"}, {"linear", integer84()}})).value();
  EXPECT_EQ(plain.parameter_count(), 117);
}

TEST(Quantize, ATableForATypeMissingFromTheNetworkIsAccepted) {
  EXPECT_TRUE(quantised(build_model("jsc-tiny", {}).value(),
                        table({{"by", "type"}, {"conv2d", integer84()}, {"linear", integer84()}})));
}

/// The linear layer by hand: operands quantised one by one, products in double.
TEST(Quantize, ALayerComputesWithItsQuantisedOperands) {
  const Graph graph = quantised(build_model("jsc-tiny", {}).value(),
                                table({{"by", "type"}, {"linear", integer84()}}))
                          .value();
  const Split samples = normal_rows(3, 16, 2.0);
  const Graph lowered = lower(graph, Mode::Evaluation).graph;
  const Values values = run_reference(lowered, {{"x", samples.x}}).value();
  const Tensor& x = values[index(*lowered.find("seq_blocks_1"))][0];
  const Tensor& y = values[index(*lowered.find("seq_blocks_2"))][0];
  const auto q = [](double v) { return std::clamp(std::nearbyint(v * 16), -128.0, 127.0) / 16; };
  const Tensor& weight = graph.find_parameter("seq_blocks.2.weight")->value;
  const Tensor& bias = graph.find_parameter("seq_blocks.2.bias")->value;
  for (std::int64_t row = 0; row < 3; ++row)
    for (std::int64_t out = 0; out < 5; ++out) {
      double sum = q(bias.at(out));
      for (std::int64_t in = 0; in < 16; ++in)
        sum += q(double{static_cast<float>(x.at(row * 16 + in))}) * q(weight.at(out * 16 + in));
      EXPECT_DOUBLE_EQ(y.at(row * 5 + out), sum);
    }
}

}  // namespace
}  // namespace chop
