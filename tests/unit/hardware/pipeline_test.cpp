// Registers within layers: as many as asked for, evenly, and the same numbers.
#include "hardware/netlist/pipeline.hpp"

#include <gtest/gtest.h>

#include "hardware/netlist/from_integer.hpp"
#include "support/rng.hpp"

namespace chop::hardware {
namespace {

/// x [6] through two matrices with a clamp between them, and a second branch that is added.
IntegerGraph network() {
  const Stream stream(3, "weights");
  std::uint64_t n = 0;
  const auto drawn = [&](std::size_t count) {
    Codes codes;
    for (std::size_t i = 0; i < count; ++i)
      codes.push_back(static_cast<std::int64_t>(stream.uniform(n++) * 127) - 63);
    return codes;
  };
  const Codes window = {0, 1, 2, 3, 4, 5};
  IntegerGraph graph{.name = "net"};
  const IntegerType six{.shape = {6}, .frac = 0, .ranges = std::vector<Interval>(6, {-8, 7})};
  graph.nodes.push_back({.name = "x", .op = "input", .type = six});
  graph.inputs.push_back({.node = 0, .placeholder = "x"});
  const auto add = [&](IntegerNode node, std::int64_t size, const Interval& range) {
    node.type.shape = {size};
    node.type.ranges.assign(static_cast<std::size_t>(size), range);
    graph.nodes.push_back(std::move(node));
    return graph.nodes.size() - 1;
  };
  const Interval wide{-5000, 5000};
  const auto a = add({.name = "a",
                      .op = "linear",
                      .inputs = {0},
                      .attrs = {{"weight", drawn(36)}, {"bias", drawn(6)}, {"window", window}}},
                     6, wide);
  const auto c =
      add({.name = "c", .op = "clamp", .inputs = {a}, .attrs = {{"low", {0}}, {"high", {31}}}}, 6,
          {0, 31});
  const auto s = add({.name = "s",
                      .op = "add",
                      .inputs = {c, 0},
                      .attrs = {{"shift_a", {0}}, {"shift_b", {1}}, {"sign", {1}}}},
                     6, {-16, 45});
  const auto y = add({.name = "y",
                      .op = "linear",
                      .inputs = {s},
                      .attrs = {{"weight", drawn(18)}, {"bias", drawn(3)}, {"window", window}}},
                     3, {-40000, 40000});
  graph.outputs = {y};
  return graph;
}

TEST(Pipelining, TheOutputsComeAsManyCyclesLaterAsWasAskedAndAreTheSame) {
  const IntegerGraph graph = network();
  ASSERT_TRUE(verify(graph));
  Interpreter interpreter(graph);
  int before = std::numeric_limits<int>::max();
  for (const int stages : {1, 2, 3, 5, 8, 13, 40}) {
    const Netlist netlist = to_netlist(graph, {.stages = stages}).value();
    EXPECT_EQ(netlist.top().latency, stages);
    EXPECT_LE(logic_depth(netlist), before) << stages;
    before = logic_depth(netlist);
    const Codes x = {-8, 7, 3, -1, 0, 5};
    EXPECT_EQ(NetlistInterpreter(netlist).run(x), interpreter.run({&x, 1}));
  }
  EXPECT_EQ(before, 2);  // a minimum or a maximum cannot be cut
}

TEST(Pipelining, NoPathHasMoreLevelsThanAllowed) {
  const IntegerGraph graph = network();
  int latency = std::numeric_limits<int>::max();
  for (const int depth : {2, 3, 5, 9, 100}) {
    const Netlist netlist = to_netlist(graph, {.logic_depth = depth}).value();
    EXPECT_LE(logic_depth(netlist), depth);
    EXPECT_LE(netlist.top().latency, latency);
    latency = netlist.top().latency;
  }
  EXPECT_EQ(latency, 1);
}

TEST(Pipelining, TheLogicOfACombinationalCircuitIsCountedAcrossItsLayers) {
  const Netlist netlist = to_netlist(network(), {.registers = false}).value();
  int sum = 0;
  for (const Module& module : netlist.modules)
    if (module.instances.empty()) sum += logic_depth(netlist, module);
  EXPECT_GT(logic_depth(netlist), 10);
  EXPECT_LE(logic_depth(netlist), sum);
}

}  // namespace
}  // namespace chop::hardware
