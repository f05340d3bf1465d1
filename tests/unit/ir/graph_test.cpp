// Editing graphs: adding, inserting, erasing, rewiring, comparing.
#include "ir/graph.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <type_traits>
#include <utility>

namespace chop {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
using Names = std::vector<std::string>;

NodeId add_input(Graph& graph, const std::string& name) {
  return graph.add(
      {.name = name, .opcode = Opcode::Placeholder, .op = "placeholder", .target = name});
}

NodeId add_call(Graph& graph, const std::string& op, std::vector<Value> inputs) {
  return graph.add({.op = op, .target = op, .inputs = std::move(inputs)});
}

/// x -> relu -> relu_1 -> output
Graph chain() {
  Graph graph("chain");
  const NodeId x = add_input(graph, "x");
  const NodeId first = add_call(graph, "relu", {{x}});
  const NodeId second = add_call(graph, "relu", {{first}});
  graph.set_outputs({{second}});
  return graph;
}

Names names(const Graph& graph) {
  Names found;
  for (const NodeId id : graph.order()) found.push_back(graph.node(id).name);
  return found;
}

TEST(Graph, NamesComeFromTheTargetAndTakenOnesAreNumbered) {
  Graph graph;
  graph.add({.opcode = Opcode::CallModule, .op = "linear", .target = "seq_blocks.2"});
  graph.add({.opcode = Opcode::CallModule, .op = "linear", .target = "seq_blocks.2"});
  graph.add({.op = "relu"});
  graph.add({.name = "relu", .op = "relu"});
  graph.add({.name = "relu", .op = "relu"});
  EXPECT_EQ(names(graph), (Names{"seq_blocks_2", "seq_blocks_3", "relu", "relu_1", "relu_2"}));
  EXPECT_EQ(graph.find("relu_2"), graph.order()[4]);
  EXPECT_FALSE(graph.find("relu_3"));
}

// The graph finds nodes and parameters by name in an index of its own: a name that could be
// assigned, alone or with the whole node, or a parameter added behind the graph's back would leave
// it stale.
template <class T>
concept CanBeRenamed = requires(T& owner) {
  owner.name = "other";
};
template <class T>
concept CanBeAppendedTo = requires(T parameters) {
  parameters.push_back({});
};
static_assert(!CanBeRenamed<Node> && !std::is_copy_assignable_v<Node>);
static_assert(!CanBeRenamed<Parameter> && !std::is_copy_assignable_v<Parameter>);
static_assert(!std::is_move_assignable_v<Node> && !std::is_move_assignable_v<Parameter>);
static_assert(!CanBeAppendedTo<decltype(std::declval<Graph&>().parameters())>);

TEST(Graph, EverythingIsFoundByItsNameAfterErasingAndAssigning) {
  Graph graph = chain();
  for (const char* name : {"a", "b", "c"})
    graph.add_parameter({.name = name, .value = Tensor::scalar(name[0])});
  const NodeId unused = add_call(graph, "tanh", {{*graph.find("x")}});
  graph.erase(unused);
  add_call(graph, "exp", {{*graph.find("x")}});
  EXPECT_EQ(graph.drop_unused(), 1U);
  graph.erase_parameter("b");
  Graph assigned("other");
  assigned = graph;
  EXPECT_EQ(assigned, graph);
  for (const Graph* at : {&graph, &assigned}) {
    for (const NodeId id : at->order()) EXPECT_EQ(at->find(at->node(id).name), id);
    for (const Parameter& parameter : at->parameters())
      EXPECT_EQ(at->find_parameter(parameter.name), &parameter);
    EXPECT_EQ(at->parameters().size(), 2U);
    EXPECT_EQ(at->find_parameter("c")->value.at(0), 'c');
    for (const char* gone : {"tanh", "exp"}) EXPECT_FALSE(at->find(gone)) << gone;
    EXPECT_EQ(at->find_parameter("b"), nullptr);
  }
}

TEST(Graph, InsertBeforeKeepsTheOrderOfTheRest) {
  Graph graph = chain();
  const NodeId last = *graph.find("relu_1");
  const NodeId before = *graph.find("relu");
  const NodeId tanh = graph.insert_before(last, {.op = "tanh", .inputs = {{before}}});
  graph.replace_uses({before}, {tanh});
  EXPECT_EQ(names(graph), (Names{"x", "relu", "tanh", "relu_1", "output"}));
  EXPECT_EQ(graph.node(last).inputs, std::vector<Value>{{tanh}});
  EXPECT_EQ(graph.node(tanh).inputs, std::vector<Value>{{before}}) << "it must not read itself";
}

TEST(Graph, ReplaceUsesChangesOnlyTheGivenResult) {
  Graph graph;
  const NodeId x = add_input(graph, "x");
  const NodeId split = add_call(graph, "split", {{x}});
  const NodeId both = add_call(graph, "add", {{split, 0}, {split, 1}});
  graph.replace_uses({split, 1}, {x});
  EXPECT_EQ(graph.node(both).inputs, (std::vector<Value>{{split, 0}, {x, 0}}));
}

TEST(Graph, EraseFreesTheNameAndKeepsOtherIds) {
  Graph graph = chain();
  const NodeId last = *graph.find("relu_1");
  const NodeId first = *graph.find("relu");
  graph.replace_uses({last}, {first});
  graph.erase(last);
  EXPECT_EQ(names(graph), (Names{"x", "relu", "output"}));
  EXPECT_FALSE(graph.find("relu_1"));
  EXPECT_EQ(graph.find("relu"), first);
  EXPECT_EQ(graph.id_limit(), 4U);
  EXPECT_EQ(graph.node(add_call(graph, "relu", {{first}})).name, "relu_1");
}

TEST(Graph, UsersAreListedOncePerReading) {
  Graph graph;
  const NodeId x = add_input(graph, "x");
  const NodeId sum = add_call(graph, "add", {{x}, {x}});
  graph.set_outputs({{x}, {sum}});
  const NodeId output = *graph.find("output");
  EXPECT_EQ(graph.users(x), (std::vector<NodeId>{sum, sum, output}));
  EXPECT_EQ(graph.users(output), std::vector<NodeId>{});
}

TEST(Graph, DropUnusedKeepsInputsAndWhatOutputsNeed) {
  Graph graph;
  const NodeId x = add_input(graph, "x");
  add_input(graph, "unused_input");
  const NodeId used = add_call(graph, "relu", {{x}});
  const NodeId dead = add_call(graph, "tanh", {{used}});
  add_call(graph, "exp", {{dead}});
  graph.add({.opcode = Opcode::GetAttr, .op = "get_attr", .target = "weight"});
  graph.set_outputs({{used}});
  EXPECT_EQ(graph.drop_unused(), 3U);
  EXPECT_EQ(names(graph), (Names{"x", "unused_input", "relu", "output"}));
  EXPECT_EQ(graph.drop_unused(), 0U);
  EXPECT_FALSE(graph.find("tanh"));
}

TEST(Graph, SetOutputsAgainMovesTheOutputToTheEnd) {
  Graph graph = chain();
  const NodeId tanh = add_call(graph, "tanh", {{*graph.find("relu_1")}});
  graph.set_outputs({{tanh}});
  EXPECT_EQ(names(graph), (Names{"x", "relu", "relu_1", "tanh", "output"}));
  EXPECT_EQ(graph.outputs(), std::vector<Value>{{tanh}});
  EXPECT_TRUE(Graph().outputs().empty());
}

TEST(Graph, PlaceholdersAreListedInOrder) {
  Graph graph;
  const NodeId x = add_input(graph, "x");
  add_call(graph, "relu", {{x}});
  const NodeId y = add_input(graph, "y");
  EXPECT_EQ(graph.placeholders(), (std::vector<NodeId>{x, y}));
}

TEST(Graph, OnlyTrainableElementsCountAsParameters) {
  Graph graph;
  graph.add_parameter({.name = "w", .value = Tensor(DType::F32, {3, 4})});
  graph.add_parameter({.name = "m", .value = Tensor(DType::F32, {5}), .trainable = false});
  EXPECT_EQ(graph.parameter_count(), 12);
  ASSERT_NE(graph.find_parameter("m"), nullptr);
  EXPECT_FALSE(graph.find_parameter("m")->trainable);
  EXPECT_EQ(graph.find_parameter("v"), nullptr);
}

TEST(Graph, ACopyIsIndependentAndSharesItsWeightsUntilWritten) {
  Graph graph = chain();
  graph.add_parameter({.name = "w", .value = Tensor::scalar(1.0)});
  Graph copy = graph;
  EXPECT_EQ(copy, graph);
  EXPECT_EQ(copy.find_parameter("w")->value.bytes(), graph.find_parameter("w")->value.bytes());
  copy.find_parameter("w")->value.mutable_data<float>()[0] = 2.0F;
  EXPECT_NE(copy, graph);
  EXPECT_EQ(graph.find_parameter("w")->value.at(0), 1.0);
}

TEST(Graph, EqualityLooksAtPositionsNotIds) {
  Graph graph = chain();
  Graph other("chain");
  other.erase(add_input(other, "gap"));
  const NodeId x = add_input(other, "x");
  const NodeId first = add_call(other, "relu", {{x}});
  const NodeId second = add_call(other, "relu", {{first}});
  other.set_outputs({{second}});
  EXPECT_EQ(graph, other);
  other.node(second).inputs = {{x}};
  EXPECT_NE(graph, other);
}

TEST(Graph, EveryPartOfANodeCountsForEquality) {
  const Graph graph = chain();
  const auto differs = [&](auto change) {
    Graph other = graph;
    change(other.node(*other.find("relu")));
    return other != graph;
  };
  EXPECT_FALSE(differs([](Node&) {}));
  EXPECT_TRUE(differs([](Node& node) { node.op = "tanh"; }));
  EXPECT_TRUE(differs([](Node& node) { node.target = "tanh"; }));
  EXPECT_TRUE(differs([](Node& node) { node.opcode = Opcode::CallMethod; }));
  EXPECT_TRUE(differs([](Node& node) { node.inputs[0].index = 1; }));
  EXPECT_TRUE(differs([](Node& node) { node.attrs["inplace"] = true; }));
  EXPECT_TRUE(differs([](Node& node) { node.formats["data_in"].name = "integer"; }));
  EXPECT_TRUE(differs([](Node& node) { node.meta.hardware.emplace(); }));
  Graph renamed = graph;
  renamed.set_name("other");
  EXPECT_NE(renamed, graph);
}

TEST(Graph, RealsAreComparedToTheLastBit) {
  const auto with = [](double value) {
    Graph graph = chain();
    Node& node = graph.node(*graph.find("relu"));
    node.attrs = {{"slope", value}, {"list", std::vector<double>{value}}};
    node.formats["data_in"].config["scale"] = value;
    node.meta.software =
        SoftwareMeta{.args = {{"data_in_0", {.stat = {{"mean", {{"mean", value}}}}}}}};
    node.meta.hardware = HardwareMeta{.verilog_param = {{"P", value}}};
    return graph;
  };
  EXPECT_EQ(with(kNan), with(kNan));
  EXPECT_NE(with(0.0), with(-0.0));
  EXPECT_NE(with(kNan), with(-kNan));
}

TEST(Opcode, NamesReadBack) {
  for (int i = 0; i < 6; ++i) {
    const auto opcode = static_cast<Opcode>(i);
    EXPECT_EQ(opcode_from_name(name_of(opcode)), opcode);
  }
  EXPECT_FALSE(opcode_from_name("call"));
}

}  // namespace
}  // namespace chop
