// calculate_avg_bits: widths weighted by elements, in two conventions.
#include "unit/passes/pass_fixture.hpp"

namespace chop {
namespace {

NumberFormat integer(std::int64_t width, std::int64_t frac_width) {
  return {"integer", {{"width", width}, {"frac_width", frac_width}}};
}

Tree avg_bits(Graph& graph, bool compat = false) {
  Tree args;
  args.set("compat", compat);
  return must_run(graph, "calculate_avg_bits", args).info;
}

TEST(AvgBits, PlainFloatIs32) {
  Graph graph = zoo("jsc-tiny");
  const Tree info = avg_bits(graph);
  EXPECT_EQ(info["data_avg_bit"], 32.0);
  EXPECT_EQ(info["w_avg_bit"], 32.0);
  EXPECT_EQ(avg_bits(graph, true)["w_avg_bit"], 32.0);
}

TEST(AvgBits, AnIntegerCountsItsWidthAndUnderCompatTheSumOfItsList) {
  Graph graph = zoo("jsc-tiny");
  Node& linear = graph.node(*graph.find("seq_blocks_2"));
  linear.formats = {{"data_in_0", integer(8, 4)}, {"weight", integer(8, 4)}};
  const Tree info = avg_bits(graph);
  EXPECT_EQ(info["data_avg_bit"], 8.0);
  EXPECT_EQ(info["w_avg_bit"], 8.0);
  EXPECT_EQ(info["sum_of_precision"]["data_avg_bit"], 12.0);
  const Tree compat = avg_bits(graph, true);
  EXPECT_EQ(compat["data_avg_bit"], 12.0);
  EXPECT_EQ(compat["w_avg_bit"], 12.0);
  EXPECT_EQ(compat["width"]["w_avg_bit"], 8.0);
}

TEST(AvgBits, MetadataListsTheSamePrecision) {
  Graph graph = zoo("jsc-tiny");
  graph.node(*graph.find("seq_blocks_2")).formats["weight"] = integer(16, 8);
  ASSERT_TRUE(add_metadata(graph, {}));
  const auto& args = graph.node(*graph.find("seq_blocks_2")).meta.common->args;
  EXPECT_EQ(args.at("weight").precision, (std::vector<std::int64_t>{16, 8}));
  EXPECT_EQ(args.at("weight").type, "integer");
  EXPECT_EQ(args.at("bias").precision, (std::vector<std::int64_t>{32}));
}

TEST(AvgBits, LayersWeighAsMuchAsTheirElements) {
  Graph graph = zoo("jsc-tiny-x10");  // weights 16·40, 40·25, 25·5
  const std::vector<std::int64_t> widths = {2, 4, 8};
  std::size_t next = 0;
  for (const NodeId id : graph.order())
    if (graph.node(id).op == "linear")
      graph.node(id).formats["weight"] = integer(widths.at(next++), 1);
  EXPECT_EQ(next, 3U);
  EXPECT_DOUBLE_EQ(avg_bits(graph)["w_avg_bit"].number(),
                   (2.0 * 640 + 4.0 * 1000 + 8.0 * 125) / 1765);
}

TEST(AvgBits, NothingToAverageIsNoNumber) {
  Graph graph = zoo("jsc-tiny");
  Tree args;
  args.set("ops", "conv2d");
  const PassOutput output = must_run(graph, "calculate_avg_bits", args);
  EXPECT_TRUE(output.info.find("data_avg_bit")->is_null());
  EXPECT_NE(output.text.find("data none"), std::string::npos) << output.text;
}

TEST(AvgBits, UnknownOpsAreNamed) {
  Tree args;
  args.set("ops", "linaer");
  const std::string message = message_of(zoo("jsc-tiny"), "calculate_avg_bits", args);
  EXPECT_NE(message.find("passes.calculate_avg_bits.ops: unknown op 'linaer'"), std::string::npos)
      << message;
  EXPECT_NE(message.find("did you mean 'linear'?"), std::string::npos) << message;
}

}  // namespace
}  // namespace chop
