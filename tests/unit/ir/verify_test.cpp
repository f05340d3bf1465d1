// Each rule of the structure, broken alone, with its message.
#include "ir/verify.hpp"

#include <gtest/gtest.h>

namespace chop {
namespace {

Graph valid() {
  Graph graph("net");
  const NodeId x =
      graph.add({.name = "x", .opcode = Opcode::Placeholder, .op = "placeholder", .target = "x"});
  const NodeId y = graph.add({.name = "relu", .op = "relu", .target = "relu", .inputs = {{x}}});
  graph.set_outputs({{y}});
  return graph;
}

std::string problem(const Graph& graph) {
  const Status status = verify_structure(graph);
  return status ? "" : status.error().what;
}

TEST(VerifyStructure, AcceptsAGraphThatKeepsTheRules) {
  EXPECT_EQ(problem(valid()), "");
  Graph empty("empty");
  empty.set_outputs({});
  EXPECT_EQ(problem(empty), "");
}

TEST(VerifyStructure, NeedsAnOutput) {
  EXPECT_EQ(problem(Graph("net")), "graph 'net' has no output");
  Graph graph("net");
  graph.add({.name = "x", .opcode = Opcode::Placeholder, .op = "placeholder", .target = "x"});
  EXPECT_EQ(problem(graph), "graph 'net' has no output");
}

TEST(VerifyStructure, NothingFollowsTheOutput) {
  Graph graph = valid();
  graph.add({.name = "late", .op = "relu", .inputs = {{*graph.find("x")}}});
  EXPECT_EQ(problem(graph), "node 'late' comes after the output");
}

TEST(VerifyStructure, ThereIsOneOutput) {
  Graph graph = valid();
  graph.add({.name = "second", .opcode = Opcode::Output, .op = "output", .target = "output"});
  EXPECT_EQ(problem(graph), "node 'second' comes after the output");
}

TEST(VerifyStructure, ValuesAreDefinedBeforeTheyAreRead) {
  Graph graph = valid();
  const NodeId relu = *graph.find("relu");
  for (const NodeId wrong : {relu, *graph.find("output"), static_cast<NodeId>(77)}) {
    graph.node(relu).inputs = {{wrong}};
    EXPECT_EQ(problem(graph), "node 'relu' reads a value that is not defined before it");
  }
}

TEST(VerifyStructure, ErasedNodesCannotBeRead) {
  Graph graph = valid();
  const NodeId gone = graph.insert_before(*graph.find("relu"), {.name = "gone", .op = "relu"});
  graph.erase(gone);
  graph.node(*graph.find("relu")).inputs = {{gone}};
  EXPECT_EQ(problem(graph), "node 'relu' reads a value that is not defined before it");
}

TEST(VerifyStructure, WhatIsNoCallHasTheOpOfItsOpcode) {
  Graph graph = valid();
  graph.node(*graph.find("x")).op = "linear";
  EXPECT_EQ(problem(graph), "node 'x' is a placeholder, which cannot have the op 'linear'");
}

TEST(VerifyStructure, PlaceholdersReadNothing) {
  Graph graph = valid();
  const NodeId late = graph.insert_before(*graph.find("output"), {.name = "late",
                                                                  .opcode = Opcode::GetAttr,
                                                                  .op = "get_attr",
                                                                  .target = "w",
                                                                  .inputs = {{*graph.find("x")}}});
  EXPECT_EQ(problem(graph), "node 'late' is a get_attr, which cannot have inputs");
  graph.node(late).inputs.clear();
  EXPECT_EQ(problem(graph), "");
}

TEST(VerifyStructure, ModulesHaveTargets) {
  Graph graph = valid();
  Node& node = graph.node(*graph.find("relu"));
  node.opcode = Opcode::CallModule;
  node.target.clear();
  EXPECT_EQ(problem(graph), "module node 'relu' has no target");
}

}  // namespace
}  // namespace chop
