// profile_statistics over whole networks: counts, what it sees, what it leaves alone.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "models/registry.hpp"
#include "ops/core/infer.hpp"
#include "passes/manager.hpp"
#include "support/rng.hpp"
#include "support/text.hpp"

namespace chop {
namespace {

Split random_split(std::int64_t rows, const Shape& sample) {
  Shape shape = sample;
  shape.insert(shape.begin(), rows);
  Split split{.x = Tensor(DType::F32, shape), .y = Tensor(DType::I64, {rows})};
  const Stream noise(3, "split");
  std::uint64_t n = 0;
  for (float& x : split.x.mutable_data<float>()) x = static_cast<float>(noise.normal(n++));
  return split;
}

Tree stats(std::initializer_list<std::string_view> names) {
  Tree table = Tree::table();
  for (const std::string_view name : names) table.set(name, Tree::table());
  return table;
}

struct Setting {
  Graph graph;
  Split split;
  PassContext context;
};

Setting jsc_tiny(std::int64_t rows = 200, std::int64_t batch = 8) {
  Setting made{build_model("jsc-tiny", {.seed = 1}).value(), random_split(rows, {16}), {}};
  made.context = {.samples = nullptr, .batch_size = batch, .threads = 2};
  EXPECT_TRUE(add_metadata(made.graph, made.context));
  return made;
}

Result<PassReport> profile(Setting& setting, const Tree& args) {
  setting.context.samples = &setting.split;
  CH_TRY(const PassCall call, make_call("profile_statistics", args));
  CH_TRY(std::vector<PassReport> reports, run_passes(setting.graph, {&call, 1}, setting.context));
  return std::move(reports[0]);
}

Tree by_type(const Tree& weights, const Tree& activations, std::int64_t samples = 32) {
  Tree args = Tree::table();
  args.set("by", "type");
  args.set("target_weight_nodes", Tree::List{"linear"});
  args.set("target_activation_nodes", Tree::List{"relu"});
  args.set("weight_statistics", weights);
  args.set("activation_statistics", activations);
  args.set("num_samples", samples);
  return args;
}

const std::map<std::string, StatValue>& found(const Graph& graph, std::string_view node,
                                              const std::string& operand, const std::string& stat) {
  return graph.node(*graph.find(node)).meta.software->args.at(operand).stat.at(stat);
}

std::int64_t count(const Graph& graph, std::string_view node, const std::string& operand,
                   const std::string& stat = "range_min_max") {
  return std::get<std::int64_t>(found(graph, node, operand, stat).at("count"));
}

std::string complaint(const Tree& args) {
  Setting setting = jsc_tiny();
  const Result<PassReport> report = profile(setting, args);
  return report ? "" : to_string(report.error());
}

TEST(ProfileStatistics, CountsAreTheReferenceSystems) {
  Setting setting = jsc_tiny();
  ASSERT_TRUE(profile(setting, by_type(stats({"range_min_max"}), stats({"range_min_max"}))));
  EXPECT_EQ(count(setting.graph, "seq_blocks_1", "data_in_0"), 512);
  EXPECT_EQ(count(setting.graph, "seq_blocks_3", "data_in_0"), 160);
  EXPECT_EQ(count(setting.graph, "seq_blocks_2", "weight"), 80);
  EXPECT_EQ(count(setting.graph, "seq_blocks_2", "bias"), 5);
}

TEST(ProfileStatistics, AsManySamplesAreUsedAsAreAskedFor) {
  Setting setting = jsc_tiny();
  ASSERT_TRUE(profile(setting, by_type(stats({}), stats({"range_min_max"}), 9)));
  EXPECT_EQ(count(setting.graph, "seq_blocks_1", "data_in_0"), 9 * 16);
}

TEST(ProfileStatistics, FewerRowsThanAskedForAreUsedAndMentioned) {
  Setting setting = jsc_tiny(13);
  const auto report = profile(setting, by_type(stats({}), stats({"range_min_max"}), 64));
  ASSERT_TRUE(report);
  EXPECT_EQ(count(setting.graph, "seq_blocks_1", "data_in_0"), 13 * 16);
  EXPECT_NE(report.value().output.text.find("num_samples = 64, but there are 13 rows"),
            std::string::npos);
}

TEST(ProfileStatistics, SeesInputsBeforeAnythingOverwritesThem) {
  Setting setting = jsc_tiny();
  ASSERT_TRUE(profile(setting, by_type(stats({}), stats({"record"}))));
  const Tensor seen =
      std::get<Tensor>(found(setting.graph, "seq_blocks_1", "data_in_0", "record").at("data"));
  // jsc-tiny starts with a batch norm whose running statistics are still 0 and 1.
  ASSERT_EQ(seen.shape(), (Shape{32, 16}));
  for (std::int64_t i = 0; i < seen.size(); ++i)
    EXPECT_NEAR(seen.at(i), setting.split.x.at(i), 1e-4 * std::fabs(setting.split.x.at(i)));
}

TEST(ProfileStatistics, OutputsGoToResults) {
  Setting setting = jsc_tiny();
  Tree args = by_type(stats({}), stats({"range_min_max", "record"}));
  args.set("profile_output_activation", true);
  ASSERT_TRUE(profile(setting, args));
  const SoftwareMeta& meta = *setting.graph.node(*setting.graph.find("seq_blocks_1")).meta.software;
  const Tensor in = std::get<Tensor>(meta.args.at("data_in_0").stat.at("record").at("data"));
  const Tensor out = std::get<Tensor>(meta.results.at("data_out_0").stat.at("record").at("data"));
  for (std::int64_t i = 0; i < in.size(); ++i) EXPECT_EQ(out.at(i), std::max(in.at(i), 0.0));
  EXPECT_EQ(std::get<double>(meta.results.at("data_out_0").stat.at("range_min_max").at("min")), 0);
}

TEST(ProfileStatistics, BatchNormHasParametersAndBuffers) {
  Setting setting = jsc_tiny();
  Tree args = by_type(stats({"abs_mean"}), stats({}));
  args.set("target_weight_nodes", Tree::List{"batch_norm1d"});
  ASSERT_TRUE(profile(setting, args));
  for (const char* name : {"weight", "bias", "running_mean", "running_var"})
    EXPECT_EQ(count(setting.graph, "seq_blocks_0", name, "abs_mean"), 16) << name;
}

TEST(ProfileStatistics, LeavesWeightsAlone) {
  Setting setting = jsc_tiny();
  const Graph before = setting.graph;
  ASSERT_TRUE(profile(setting, by_type(stats({"record"}), stats({"variance_online"}))));
  EXPECT_FALSE(changes_between(before, setting.graph).beyond_metadata());
  for (const Parameter& parameter : before.parameters())
    EXPECT_EQ(parameter, *setting.graph.find_parameter(parameter.name));
}

TEST(ProfileStatistics, TwiceGivesTheSameGraphOnAnyNumberOfThreads) {
  Setting setting = jsc_tiny(3000);
  Tree every = Tree::table();
  for (const char* name : {"record", "variance_online", "variance_precise", "range_n_sigma",
                           "range_min_max", "range_quantile", "abs_mean", "histogram"})
    every.set(name, Tree::table());
  const Tree args = by_type(every, every, 3000);
  const auto first = profile(setting, args);
  ASSERT_TRUE(first) << to_string(first.error());
  const Graph once = setting.graph;
  ASSERT_TRUE(profile(setting, args));
  EXPECT_EQ(once, setting.graph);
  setting.context.threads = 1;
  ASSERT_TRUE(profile(setting, args));
  EXPECT_EQ(once, setting.graph);
}

TEST(ProfileStatistics, WorksOnConvolutionsAndOnChannels) {
  Setting setting{build_model("toy_convnet", {.seed = 1}).value(), {}, {.batch_size = 2}};
  const Types types = infer_types(setting.graph, 1).value();
  Shape sample = types[index(setting.graph.placeholders()[0])][0].shape;
  sample.erase(sample.begin());
  setting.split = random_split(4, sample);
  ASSERT_TRUE(add_metadata(setting.graph, setting.context));
  Tree dims = Tree::table();
  dims.set("dims", Tree::List{0, 2, 3});
  Tree each = Tree::table();
  for (const char* name : {"range_quantile", "variance_precise", "range_min_max", "range_n_sigma"})
    each.set(name, dims);
  Tree args = by_type(stats({}), each, 4);
  args.set("target_activation_nodes", Tree::List{"conv2d"});
  const auto report = profile(setting, args);
  ASSERT_TRUE(report) << to_string(report.error());
  bool any = false;
  for (const NodeId id : setting.graph.order()) {
    const Node& node = setting.graph.node(id);
    if (node.op != "conv2d") continue;
    any = true;
    const auto& result = node.meta.software->args.at("data_in_0").stat.at("range_quantile");
    const Shape& shape = type_of(types, node.inputs[0]).shape;
    EXPECT_EQ(std::get<Tensor>(result.at("max")).shape(), (Shape{shape[1]}));
    EXPECT_EQ(std::get<std::int64_t>(result.at("count")), 4 * shape[2] * shape[3]);
  }
  EXPECT_TRUE(any);
}

TEST(ProfileStatistics, NodesThatAreNoModulesAreSkippedWithANote) {
  Setting setting = jsc_tiny();
  Tree args = by_type(stats({"abs_mean"}), stats({}));
  args.set("by", "name");
  args.set("target_weight_nodes", Tree::List{"x", "seq_blocks_2"});
  args.set("target_activation_nodes", Tree::list());
  const auto report = profile(setting, args);
  ASSERT_TRUE(report) << to_string(report.error());
  EXPECT_NE(report.value().output.text.find("note: x is no module (placeholder)"),
            std::string::npos);
  EXPECT_EQ(count(setting.graph, "seq_blocks_2", "weight", "abs_mean"), 80);
}

TEST(ProfileStatistics, WrongArgumentsAreNamedWithWhatIsAllowed) {
  EXPECT_EQ(complaint(by_type(stats({}), stats({"range_min_max"}), 0)),
            "error: passes.profile_statistics.num_samples = 0 is not allowed\n"
            "  hint: num_samples is a whole number of at least 1\n");
  EXPECT_EQ(
      complaint(by_type(stats({}), stats({"range_min_mx"}))),
      "error: passes.profile_statistics.activation_statistics.range_min_mx: unknown statistic "
      "'range_min_mx'\n"
      "  hint: did you mean 'range_min_max'? the statistics are abs_mean, histogram, "
      "range_min_max, range_n_sigma, range_quantile, record, variance_online, "
      "variance_precise\n");
  Tree args = by_type(stats({}), stats({"range_min_max"}));
  args.set("target_activation_nodes", Tree::List{"rellu"});
  EXPECT_EQ(complaint(args),
            "error: passes.profile_statistics.target_activation_nodes: there is no node of type "
            "'rellu'\n"
            "  hint: did you mean 'relu'? the types in this network are placeholder, "
            "batch_norm1d, relu, linear, output; for names of nodes say by = \"name\"\n");
  args.set("by", "name");
  args.set("target_activation_nodes", Tree::List{"seq_blocks_9"});
  args.set("target_weight_nodes", Tree::list());
  EXPECT_EQ(complaint(args),
            "error: passes.profile_statistics.target_activation_nodes: there is no node "
            "'seq_blocks_9'\n"
            "  hint: did you mean 'seq_blocks_0'? the nodes are x, seq_blocks_0, seq_blocks_1, "
            "seq_blocks_2, seq_blocks_3, output\n");
  Tree wrong = Tree::table();
  wrong.set("range_quantile", Tree::table()).set("quantile", 1.5);
  EXPECT_EQ(complaint(by_type(stats({}), wrong)),
            "error: passes.profile_statistics.activation_statistics.range_quantile.quantile = 1.5 "
            "is not allowed\n"
            "  hint: quantile is a number from 0 to 1\n");
}

TEST(ProfileStatistics, AnOpMissingFromTheNetworkGivesANote) {
  Setting setting = jsc_tiny();
  Tree args = by_type(stats({}), stats({"range_min_max"}));
  args.set("target_activation_nodes", Tree::List{"relu", "conv2d"});
  const auto report = profile(setting, args);
  ASSERT_TRUE(report);
  EXPECT_NE(report.value().output.text.find("the network has no node of type conv2d"),
            std::string::npos);
}

}  // namespace
}  // namespace chop
