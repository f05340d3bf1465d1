#include "passes/manager.hpp"

#include <gtest/gtest.h>

#include "ir/text/text.hpp"
#include "models/registry.hpp"

namespace chop {
namespace {

Graph tiny() {
  return build_model("jsc-tiny", {}).value();
}

PassDef breaks_its_promise() {
  return {.name = "breaks_its_promise",
          .doc = "",
          .run = [](Graph& graph, const Args&, const PassContext&) -> Result<PassOutput> {
            graph.parameters()[0].value.mutable_data<float>()[0] += 1;
            return PassOutput{};
          }};
}

PassDef leaves_nonsense() {
  PassDef def = breaks_its_promise();
  def.promise = Promise::NewNumbers;
  def.run = [](Graph& graph, const Args&, const PassContext&) -> Result<PassOutput> {
    graph.node(*graph.find("seq_blocks_2")).attrs["in_features"] = std::int64_t{7};
    return PassOutput{};
  };
  return def;
}

TEST(Passes, APassMayNotChangeMoreThanItPromises) {
  Graph graph = tiny();
  const Graph before = graph;
  const PassDef def = breaks_its_promise();
  const PassCall call{.def = &def};
  const auto reports = run_passes(graph, {&call, 1}, {});
  ASSERT_FALSE(reports);
  EXPECT_NE(reports.error().what.find("changed values of seq_blocks.0.weight"), std::string::npos)
      << reports.error().what;
  EXPECT_EQ(graph, before);
}

TEST(Passes, AGraphThatDoesNotVerifyIsBlamedOnThePassAndNotKept) {
  Graph graph = tiny();
  const Graph before = graph;
  const PassDef def = leaves_nonsense();
  const PassCall call{.def = &def};
  const auto reports = run_passes(graph, {&call, 1}, {});
  ASSERT_FALSE(reports);
  ASSERT_FALSE(reports.error().notes.empty());
  EXPECT_NE(reports.error().notes.back().find("breaks_its_promise"), std::string::npos);
  EXPECT_EQ(graph, before);
}

TEST(Passes, RunInTheOrderOfTheFileAndSayWhatTheyChanged) {
  Tree tables = Tree::table();
  tables.set("verify", Tree::table());
  tables.set("add_common_metadata", Tree::table()).set("batch_size", 4);
  tables.set("init_metadata", Tree::table());
  const std::vector<PassCall> calls = calls_from(tables, "my.toml").value();
  Graph graph = tiny();
  const std::vector<PassReport> reports = run_passes(graph, calls, {}).value();
  ASSERT_EQ(reports.size(), 3U);
  EXPECT_EQ(reports[0].name, "verify");
  EXPECT_EQ(describe(reports[0].changes), "nothing");
  EXPECT_EQ(describe(reports[1].changes), "metadata of 6 nodes");
  EXPECT_EQ(describe(reports[2].changes), "metadata of 6 nodes");
  EXPECT_EQ(graph, tiny());
}

TEST(Passes, RunningTheMetadataPassesTwiceGivesTheSameGraph) {
  Graph once = tiny();
  ASSERT_TRUE(add_metadata(once, {.batch_size = 8}));
  Graph twice = once;
  ASSERT_TRUE(add_metadata(twice, {.batch_size = 8}));
  EXPECT_EQ(once, twice);
  EXPECT_EQ(read_text(print(once, {.values = true})).value(), once);
}

TEST(Passes, StatisticsOfALoadedGraphAreKeptWhenItIsDescribedAgain) {
  Graph graph = tiny();
  ASSERT_TRUE(add_metadata(graph, {.batch_size = 8}));
  OperandStats& weight = graph.node(*graph.find("seq_blocks_2")).meta.software->args["weight"];
  weight.stat["range_min_max"]["max"] = 3.0;
  ASSERT_TRUE(add_metadata(graph, {.batch_size = 4}));
  const Metadata& meta = graph.node(*graph.find("seq_blocks_2")).meta;
  EXPECT_EQ(meta.common->args.at("data_in_0").shape, (Shape{4, 16}));
  EXPECT_EQ(std::get<double>(meta.software->args.at("weight").stat.at("range_min_max").at("max")),
            3.0);
}

TEST(Passes, MistakesNameThePass) {
  EXPECT_EQ(make_call("verfy", {}).error().what, "unknown pass 'verfy'");
  EXPECT_NE(make_call("verfy", {}).error().hint.find("did you mean 'verify'"), std::string::npos);
  Tree tables = Tree::table();
  tables.set("nonsense", Tree::table()).line = 12;
  const auto calls = calls_from(tables, "my.toml");
  ASSERT_FALSE(calls);
  EXPECT_EQ(calls.error().notes, std::vector<std::string>{"my.toml:12"});
}

TEST(Passes, MetadataHasTheReferenceSystemsKeys) {
  Graph graph = tiny();
  ASSERT_TRUE(add_metadata(graph, {.batch_size = 8}));
  const Metadata& x = graph.node(*graph.find("x")).meta;
  EXPECT_EQ(x.common->mase_op, "placeholder");
  EXPECT_TRUE(x.software->args.empty());
  EXPECT_EQ(x.software->results.size(), 1U);
  const Metadata& norm = graph.node(*graph.find("seq_blocks_0")).meta;
  EXPECT_EQ(norm.common->mase_type, "module");
  std::vector<std::string> common;
  for (const auto& [name, meta] : norm.common->args) common.push_back(name);
  EXPECT_EQ(common, (std::vector<std::string>{"bias", "data_in_0", "weight"}));
  std::vector<std::string> software;
  for (const auto& [name, stats] : norm.software->args) software.push_back(name);
  EXPECT_EQ(software, (std::vector<std::string>{"bias", "data_in_0", "running_mean", "running_var",
                                                "weight"}));
  const Metadata& linear = graph.node(*graph.find("seq_blocks_2")).meta;
  EXPECT_EQ(linear.common->args.at("data_in_0").shape, (Shape{8, 16}));
  EXPECT_EQ(linear.common->args.at("weight").precision, (std::vector<std::int64_t>{32}));
  const Metadata& output = graph.node(graph.order().back()).meta;
  EXPECT_TRUE(output.common->args.empty());
  EXPECT_EQ(output.common->results.at("data_out_0").shape, (Shape{8, 5}));
  EXPECT_TRUE(output.software->args.contains("data_in_0"));
}

TEST(Passes, VerifyFindsMetadataThatIsNoLongerTrue) {
  Graph graph = tiny();
  ASSERT_TRUE(add_metadata(graph, {.batch_size = 8}));
  graph.node(*graph.find("seq_blocks_2")).meta.common->args["weight"].shape = {5, 15};
  const PassCall call = make_call("verify", {}).value();
  const auto reports = run_passes(graph, {&call, 1}, {});
  ASSERT_FALSE(reports);
  EXPECT_EQ(reports.error().what,
            "seq_blocks_2.weight: the metadata says shape [5, 15], the graph [5, 16]");
}

}  // namespace
}  // namespace chop
