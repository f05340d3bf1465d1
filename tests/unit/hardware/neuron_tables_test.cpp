// Neurons as truth tables: the numbers stay, whatever becomes a table, and the choice is the
// cheaper one.
#include "hardware/lowering/neuron_tables.hpp"

#include <gtest/gtest.h>

#include "compile/run_graph.hpp"
#include "hardware/circuit/circuit.hpp"
#include "hardware/integer/op_def.hpp"
#include "hardware/proof/layers.hpp"
#include "ops/core/builder.hpp"
#include "support/rng.hpp"

namespace chop::hardware {
namespace {

NumberFormat fixed(int width, int frac, bool is_signed = true) {
  return {"integer",
          {{"width", std::int64_t{width}},
           {"frac_width", std::int64_t{frac}},
           {"is_signed", is_signed}}};
}

/// Two layers of sparse neurons as LogicNets have them: a normalisation and a ReLU behind each, and
/// activations of few bits. Weights have a format or are float32.
Graph sparse_network(std::int64_t fan_in, int bits, bool has_float_weights) {
  GraphBuilder b("sparse", 3);
  Value x = b.input("x", {-1, 10});
  x = b.module("linear", "one", {x},
               {{"in_features", 10}, {"out_features", 8}, {"fan_in", fan_in}});
  x = b.module("batch_norm1d", "norm", {x}, {{"num_features", 8}});
  x = b.function("relu", {x});
  x = b.module("linear", "two", {x}, {{"in_features", 8}, {"out_features", 4}, {"fan_in", fan_in}});
  x = b.module("batch_norm1d", "last", {x}, {{"num_features", 4}});
  Graph graph = std::move(b).finish({x}).value();
  for (Parameter& parameter : graph.parameters()) {
    const Stream noise(5, parameter.name);
    std::uint64_t n = 0;
    if (parameter.name.ends_with("mask")) continue;
    const bool is_about_1 = parameter.name.ends_with("_var") || parameter.name == "norm.weight";
    const bool is_weight = parameter.value.shape().size() == 2;
    for (float& value : parameter.value.mutable_data<float>())
      value = static_cast<float>(is_about_1  ? 0.5 + noise.uniform(n++)
                                 : is_weight ? 1.2 * noise.normal(n++)
                                             : 0.3 + 0.2 * noise.normal(n++));
  }
  for (const NodeId id : graph.order()) {
    Node& node = graph.node(id);
    if (node.op == "linear") {
      node.formats["data_in_0"] = fixed(bits, bits - 1, node.name != "two");
      if (!has_float_weights) {
        node.formats["weight"] = fixed(6, 4);
        node.formats["bias"] = fixed(6, 4);
      }
    }
    if (node.name == "last") node.formats["data_out_0"] = fixed(bits + 1, bits - 1);
  }
  return graph;
}

Codes random_codes(const IntegerGraph& graph, const Stream& noise, std::uint64_t& n) {
  Codes codes;
  for (const Interval& range : graph.nodes[graph.inputs[0].node].type.ranges)
    codes.push_back(range.low + static_cast<std::int64_t>(noise.uniform(n++) *
                                                          static_cast<double>(range.count())));
  return codes;
}

void expect_same_numbers(const IntegerGraph& a, const IntegerGraph& b, const Netlist& netlist) {
  Interpreter one(a);
  Interpreter other(b);
  const NetlistInterpreter circuit(netlist);
  const Stream noise(1, "codes");
  std::uint64_t n = 0;
  for (int sample = 0; sample < 1000; ++sample) {
    const Codes x = random_codes(a, noise, n);
    const Codes wanted = one.run({&x, 1});
    ASSERT_EQ(other.run({&x, 1}), wanted);
    if (sample < 100) {
      ASSERT_EQ(circuit.run(x), wanted);
    }
  }
}

std::int64_t count_ops(const IntegerGraph& graph, std::string_view op) {
  return std::ranges::count_if(graph.nodes, [&](const IntegerNode& node) { return node.op == op; });
}

TEST(NeuronTables, SparseLayersBecomeTablesWithTheSameNumbersAndFewerLuts) {
  for (const bool has_float_weights : {false, true})
    for (const std::int64_t fan_in : {2, 3}) {
      const Graph graph = sparse_network(fan_in, 2, has_float_weights);
      const Result<IntegerGraph> made = to_integer(graph);
      ASSERT_TRUE(made) << to_string(made.error());
      const IntegerGraph& plain = made.value();
      const Result<IntegerGraph> tables = with_tables(plain, {});
      ASSERT_TRUE(tables) << to_string(tables.error());
      EXPECT_EQ(count_ops(tables.value(), "lookup"), 2);
      EXPECT_EQ(count_ops(tables.value(), "linear"), 0);
      EXPECT_EQ(count_tables(tables.value()).neurons, 12);
      EXPECT_EQ(count_tables(tables.value()).bits, 2 * fan_in);
      const Netlist netlist = to_netlist(tables.value()).value();
      expect_same_numbers(plain, tables.value(), netlist);
      EXPECT_LT(estimate(netlist).luts, estimate(to_netlist(plain).value()).luts);
    }
}

TEST(NeuronTables, FloatWeightsOfSparseNeuronsGiveTheNumbersOfTheFloatRun) {
  const Graph graph = sparse_network(3, 3, /*has_float_weights=*/true);
  const IntegerGraph tables = with_tables(to_integer(graph).value(), {}).value();
  Tensor x(DType::F32, {500, 10});
  const Stream noise(2, "x");
  std::uint64_t n = 0;
  for (float& value : x.mutable_data<float>()) value = static_cast<float>(noise.normal(n++));
  const auto floats = compile::run_graph(graph, {{"x", x}}).value()[0].value;
  const int frac = tables.nodes[tables.outputs[0]].type.frac;
  Interpreter interpreter(tables);
  std::int64_t at = 0;
  std::int64_t differing = 0;
  const std::vector<Codes> rows = encode_rows(tables, 0, x).value();
  for (const Codes& row : rows)
    for (const std::int64_t code : interpreter.run({&row, 1}))
      differing += std::ldexp(static_cast<double>(code), -frac) != floats.at(at++) ? 1 : 0;
  EXPECT_LE(differing, 2) << "sums of float32 weights are exact in integers alone";
}

/// A layer of 5 inputs of 4 bits: neurons of two, three and five inputs.
IntegerGraph mixed_layer() {
  GraphBuilder b("mixed", 0);
  Value x = b.input("x", {-1, 5});
  x = b.module("linear", "fc", {x}, {{"in_features", 5}, {"out_features", 3}});
  x = b.function("relu", {x});
  Graph graph = std::move(b).finish({x}).value();
  graph.find_parameter("fc.weight")->value =
      Tensor::of<float>({3, 5}, {0.25, 0, 0, 0.75, 0,     //
                                 0.5, -0.75, 0.25, 0, 0,  //
                                 0.25, 0.5, 0.75, -0.5, 0.25});
  for (const NodeId id : graph.order()) {
    Node& node = graph.node(id);
    if (node.op == "linear")
      for (const char* operand : {"data_in_0", "weight", "bias"})
        node.formats[operand] = fixed(4, 2);
    if (node.op == "relu") node.formats["data_in_0"] = fixed(2, 0, false);
  }
  return to_integer(graph).value();
}

TEST(NeuronTables, NeuronsOfManyInputsStayAddersBesideTables) {
  const IntegerGraph plain = mixed_layer();
  NetlistOptions options;
  options.table_bits = 8;
  const IntegerGraph tables = with_tables(plain, options).value();
  ASSERT_EQ(count_ops(tables, "lookup"), 1);
  EXPECT_EQ(count_tables(tables).neurons, 1);
  EXPECT_EQ(count_ops(tables, "linear"), 1);
  expect_same_numbers(plain, tables, to_netlist(tables).value());
}

TEST(NeuronTables, NoneAreMadeWhereAddersAreCheaperOrNobodyWantsThem) {
  const IntegerGraph plain = mixed_layer();
  NetlistOptions none;
  none.table_bits = 0;
  EXPECT_EQ(with_tables(plain, none).value(), plain);
  GraphBuilder b("sums", 0);
  Value x = b.input("x", {-1, 4});
  x = b.module("linear", "fc", {x}, {{"in_features", 4}, {"out_features", 2}, {"bias", false}});
  Graph graph = std::move(b).finish({x}).value();
  graph.find_parameter("fc.weight")->value = Tensor::of<float>({2, 4}, {1, 1, 0, 0, 0, 0, 1, -1});
  for (const NodeId id : graph.order())
    if (graph.node(id).op == "linear")
      graph.node(id).formats = {{"data_in_0", fixed(6, 0)}, {"weight", fixed(2, 0)}};
  const IntegerGraph sums = to_integer(graph).value();
  EXPECT_EQ(with_tables(sums, {}).value(), sums) << "an adder of 7 bits beats a table of 12";
}

TEST(NeuronTables, EveryCodeOfATableIsProvenAndAWrongEntryIsFound) {
  const IntegerGraph graph =
      with_tables(to_integer(sparse_network(3, 2, false)).value(), {}).value();
  NetlistOptions options;
  options.registers = false;
  Netlist netlist = to_netlist(graph, options).value();
  const auto proofs = prove_layers(graph, netlist);
  ASSERT_TRUE(proofs) << to_string(proofs.error());
  std::int64_t codes = 0;
  std::int64_t entries = 0;
  for (const LayerProof& proof : proofs.value())
    if (graph.nodes[proof.node].op == "lookup") {
      EXPECT_EQ(proof.method, LayerMethod::AllCodes);
      codes += proof.codes;
      entries += std::ssize(graph.nodes[proof.node].list("values"));
    }
  EXPECT_GT(codes, 600);
  EXPECT_LE(codes, entries) << "some patterns of bits are no code of their neuron";
  for (Module& module : netlist.modules)
    for (Rom& rom : module.tables) {
      // Entries that differ are exchanged, so that the ranges stay.
      const auto other = std::find_if(rom.entries.begin(), rom.entries.end(),
                                      [&](std::int64_t entry) { return entry != rom.entries[0]; });
      std::iter_swap(rom.entries.begin(), other);
    }
  const auto wrong = prove_layers(graph, netlist);
  ASSERT_FALSE(wrong);
  EXPECT_NE(wrong.error().what.find("where its lookup is"), std::string::npos)
      << wrong.error().what;
}

}  // namespace
}  // namespace chop::hardware
