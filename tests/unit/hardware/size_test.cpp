// Circuits that nobody could build are refused before anything is built.
#include <gtest/gtest.h>

#include "hardware/cost/rough.hpp"
#include "hardware/integer/op_def.hpp"
#include "hardware/netlist/from_integer.hpp"

namespace chop::hardware {
namespace {

/// A matrix that is used at many positions.
IntegerGraph large(std::int64_t windows) {
  constexpr std::int64_t kSize = 500;
  IntegerGraph graph{.name = "net"};
  graph.nodes.push_back(
      {.name = "x",
       .op = "input",
       .type = {.shape = {kSize}, .ranges = std::vector<Interval>(kSize, {-128, 127})}});
  graph.inputs.push_back({.node = 0, .placeholder = "x", .format = {}});
  IntegerNode node{
      .name = "conv", .op = "linear", .inputs = {0}, .type = {.shape = {kSize, windows}}};
  node.attrs["weight"] = Codes(kSize * kSize, 85);  // four digits
  node.attrs["bias"] = Codes(kSize);
  for (std::int64_t i = 0; i < windows * kSize; ++i) node.attrs["window"].push_back(i % kSize);
  node.type.ranges.resize(static_cast<std::size_t>(kSize * windows));
  node.type.ranges = find_integer_op("linear")->ranges(call_of(graph, node));
  graph.nodes.push_back(std::move(node));
  graph.outputs = {1};
  return graph;
}

TEST(ToNetlist, WhatNoFpgaCouldHoldIsAnErrorAtOnceThatSaysItsSize) {
  const Result<Netlist> made = to_netlist(large(20));
  ASSERT_FALSE(made);
  const std::string said = to_string(made.error());
  for (const char* text : {"160 million LUTs", "largest layer, conv", "--reuse"})
    EXPECT_NE(said.find(text), std::string::npos) << said;
  EXPECT_DOUBLE_EQ(rough_luts(large(1)), 500.0 * 500 * 4 * 8);
}

}  // namespace
}  // namespace chop::hardware
