// Roundings and bounds that follow each other become one, with the same numbers for every code.
#include "hardware/lowering/merge_clamps.hpp"

#include <gtest/gtest.h>

#include "hardware/integer/op_def.hpp"
#include "support/rng.hpp"

namespace chop::hardware {
namespace {

constexpr std::int64_t kLow = -300;
constexpr std::int64_t kHigh = 299;

/// Clamps and requantisations of two elements, drawn from a seed, in a row.
IntegerGraph chain(std::uint64_t seed) {
  const Stream stream(seed, "chain");
  std::uint64_t draws = 0;
  const auto draw = [&](std::int64_t low, std::int64_t high) {
    return low +
           static_cast<std::int64_t>(stream.uniform(draws++) * static_cast<double>(high - low + 1));
  };
  IntegerGraph graph{.name = "net"};
  graph.nodes.push_back({.name = "x",
                         .op = "input",
                         .type = {.shape = {2}, .ranges = {{kLow, kHigh}, {kLow, kHigh}}}});
  graph.inputs.push_back({.node = 0, .placeholder = "x", .format = {}});
  for (std::size_t i = 1; i <= 5; ++i) {
    IntegerNode node{.name = cat("n", i), .inputs = {i - 1}, .type = {.shape = {2}}};
    const std::int64_t runs = draw(1, 2);
    for (std::int64_t r = 0; r < runs; ++r) {
      node.attrs["low"].push_back(draw(-200, 20));
      node.attrs["high"].push_back(node.attrs["low"].back() + draw(0, 250));
    }
    node.op = draw(0, 1) == 0 ? "clamp" : "requantise";
    if (node.op == "requantise") {
      node.attrs["shift"] = {draw(-1, 3)};
      node.attrs["rounding"] = {draw(0, 2)};
    }
    node.type.ranges.resize(2);
    node.type.ranges = find_integer_op(node.op)->ranges(call_of(graph, node));
    graph.nodes.push_back(std::move(node));
  }
  graph.outputs = {5};
  return graph;
}

TEST(MergeClamps, TheNumbersAreTheSameForEveryCode) {
  std::size_t nodes = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const IntegerGraph before = chain(seed);
    const IntegerGraph after = merge_clamps(before);
    ASSERT_TRUE(verify(after)) << seed << ": " << to_string(verify(after).error());
    nodes += after.nodes.size();
    Interpreter first(before);
    Interpreter second(after);
    for (std::int64_t x = kLow; x <= kHigh; ++x) {
      const std::vector<Codes> sample = {{x, -x - 1}};
      ASSERT_EQ(first.run(sample), second.run(sample)) << seed << " at " << x;
    }
  }
  EXPECT_LT(nodes, 400U);  // of 600
}

TEST(MergeClamps, WhatOthersReadStays) {
  IntegerGraph graph = chain(3);
  graph.outputs = {5, 2, 3};
  const IntegerGraph after = merge_clamps(graph);
  Interpreter first(graph);
  Interpreter second(after);
  for (std::int64_t x = kLow; x <= kHigh; ++x) {
    const std::vector<Codes> sample = {{x, x / 2}};
    ASSERT_EQ(first.run(sample), second.run(sample)) << x;
  }
}

}  // namespace
}  // namespace chop::hardware
