// Networks in whole numbers: the same numbers as the float run, and circuits with the same numbers.
#include <gtest/gtest.h>

#include "compile/run_graph.hpp"
#include "hardware/integer/op_def.hpp"
#include "hardware/lowering/to_integer.hpp"
#include "hardware/netlist/from_integer.hpp"
#include "models/registry.hpp"
#include "ops/core/builder.hpp"
#include "ops/core/registry.hpp"
#include "support/rng.hpp"

namespace chop::hardware {
namespace {

NumberFormat fixed(int width, int frac) {
  return {"integer", {{"width", std::int64_t{width}}, {"frac_width", std::int64_t{frac}}}};
}

/// The same format for every operand that can carry one, biases included, and for every
/// normalisation's input.
void quantise_all(Graph& graph, const NumberFormat& format) {
  for (const NodeId id : graph.order()) {
    Node& node = graph.node(id);
    if (!is_call(node.opcode)) continue;
    const OpDef& op = op_of(node);
    if (op.quantisable.empty() && !has(op.traits, Trait::ChannelAffine)) continue;
    for (std::size_t i = 0; i < node.inputs.size(); ++i) node.formats[cat("data_in_", i)] = format;
    if (op.weight_axis == 0) continue;
    node.formats["weight"] = format;
    if (Call{op, node.attrs}.flag("bias")) node.formats["bias"] = format;
  }
}

/// Weights and statistics as training leaves them: not round, not all alike.
void train(Graph& graph, std::uint64_t seed) {
  for (Parameter& parameter : graph.parameters()) {
    const Stream stream(seed, parameter.name);
    const bool positive = parameter.name.ends_with("_var");
    std::uint64_t n = 0;
    for (float& value : parameter.value.mutable_data<float>())
      value = static_cast<float>(positive ? 0.5 + stream.uniform(n++) : 0.7 * stream.normal(n++));
  }
}

Tensor samples(const Shape& shape, std::uint64_t seed) {
  const Stream stream(seed, "samples");
  Tensor x(DType::F32, shape);
  std::uint64_t n = 0;
  for (float& value : x.mutable_data<float>()) value = static_cast<float>(2 * stream.normal(n++));
  return x;
}

struct Compared {
  std::int64_t floats_differ = 0;
  std::int64_t circuits_differ = 0;
  bool remarked = false;
};

/// Integer run, float run and netlist on the same samples.
Compared compare(const Graph& graph, const Tensor& x, const NetlistOptions& options = {}) {
  Compared result;
  const Result<IntegerGraph> made = to_integer(graph);
  EXPECT_TRUE(made) << to_string(made.error());
  if (!made) return {.floats_differ = 1};
  const IntegerGraph& integers = made.value();
  for (const IntegerNode& node : integers.nodes) result.remarked |= !node.remark.empty();
  const Result<Netlist> netlist = to_netlist(integers, options);
  EXPECT_TRUE(netlist) << to_string(netlist.error());
  if (!netlist) return {.circuits_differ = 1};
  const auto codes = encode_rows(integers, 0, x).value();
  const auto floats =
      compile::run_graph(graph, {{integers.inputs[0].placeholder, x}}).value()[0].value;
  const int frac = integers.nodes[integers.outputs[0]].type.frac;
  Interpreter interpreter(integers);
  std::int64_t at = 0;
  for (std::size_t row = 0; row < codes.size(); ++row) {
    const Codes y = interpreter.run({&codes[row], 1});
    if (row < 50)
      result.circuits_differ += NetlistInterpreter(netlist.value()).run(codes[row]) != y;
    for (const std::int64_t code : y)
      result.floats_differ += std::ldexp(static_cast<double>(code), -frac) != floats.at(at++);
  }
  return result;
}

TEST(ToInteger, JetNetworksGiveTheNumbersOfTheFloatRun) {
  for (const char* name : {"jsc-tiny", "jsc-toy", "jsc-s", "jsc-three-linear", "jsc-tiny-x10"})
    for (const NumberFormat& format : {fixed(8, 4), fixed(6, 3)}) {
      Graph graph =
          find_model(name).value()->build({.sample_shape = {16}, .num_classes = 5}).value();
      train(graph, 7);
      quantise_all(graph, format);
      const Compared found = compare(graph, samples({500, 16}, 3));
      EXPECT_EQ(found.circuits_differ, 0) << name;
      EXPECT_LE(found.floats_differ, found.remarked ? 2 : 0) << name;
    }
}

/// x [n, 6] through a linear layer and whatever `more` adds.
template <class More>
Graph small_network(More more) {
  GraphBuilder b("net", 0);
  Value x = b.input("x", {-1, 6});
  x = b.module("linear", "fc", {x}, {{"in_features", 6}, {"out_features", 4}});
  Graph graph = std::move(b).finish({more(b, x)}).value();
  train(graph, 1);
  return graph;
}

TEST(ToInteger, FormatsWithStepsOfAPowerOfTwoBecomeIntegers) {
  const std::vector<NumberFormat> formats = {
      fixed(4, 2),
      {"integer", {{"width", 5}, {"frac_width", 2}, {"is_signed", false}}},
      {"integer_floor", {{"width", 5}, {"frac_width", 3}}},
      {"affine", {{"width", 6}, {"zero_point", 3}, {"scale", std::vector<double>{0.125}}}},
      {"lsq_integer", {{"width", 4}, {"step", std::vector<double>{0.25}}}},
      {"binary", {}}};
  for (const NumberFormat& format : formats) {
    Graph graph = small_network([](GraphBuilder& b, Value x) {
      x = b.module("relu", "act", {x});
      return b.module("linear", "last", {x}, {{"in_features", 4}, {"out_features", 3}});
    });
    quantise_all(graph, format);
    graph.node(*graph.find("fc")).formats["data_in_0"] = fixed(8, 4);
    const Compared found = compare(graph, samples({300, 6}, 5));
    EXPECT_EQ(found.floats_differ, 0) << format.name;
    EXPECT_EQ(found.circuits_differ, 0) << format.name;
  }
}

TEST(ToInteger, ActivationsAreTablesOfTheCodesOfTheirInput) {
  for (const char* op : {"relu6", "leaky_relu", "hardtanh", "sigmoid", "tanh", "gelu", "silu",
                         "hardswish", "hardsigmoid", "elu", "softplus"}) {
    Graph graph = small_network([&](GraphBuilder& b, Value x) {
      x = b.module(op, "act", {x});
      return b.module("linear", "last", {x}, {{"in_features", 4}, {"out_features", 3}});
    });
    quantise_all(graph, fixed(7, 4));
    const Compared found = compare(graph, samples({300, 6}, 5));
    EXPECT_EQ(found.circuits_differ, 0) << op;
    EXPECT_LE(found.floats_differ, found.remarked ? 3 : 0) << op;
  }
}

TEST(ToInteger, ResidualsConvolutionsAndPoolsAreExact) {
  GraphBuilder b("net", 0);
  Value x = b.input("x", {-1, 2, 6, 6});
  const Attrs conv = {
      {"in_channels", 2}, {"out_channels", 2}, {"kernel_size", Ints{3}}, {"padding", Ints{1}}};
  Value y = b.module("conv2d", "conv", {x}, conv);
  y = b.module("relu", "act", {y});
  y = b.module("conv2d", "again", {y}, conv);
  y = b.function("add", {y, x});
  y = b.module("max_pool2d", "pool", {y}, {{"kernel_size", Ints{2}}});
  y = b.module("avg_pool2d", "mean", {y}, {{"kernel_size", Ints{3}}});
  y = b.module("flatten", "flat", {y});
  y = b.module("linear", "last", {y}, {{"in_features", 2}, {"out_features", 3}});
  Graph graph = std::move(b).finish({y}).value();
  train(graph, 2);
  quantise_all(graph, fixed(6, 3));
  for (const bool registers : {true, false}) {
    const Compared found = compare(graph, samples({100, 2, 6, 6}, 5), {.registers = registers});
    EXPECT_LE(found.floats_differ, found.remarked ? 1 : 0);
    EXPECT_EQ(found.circuits_differ, 0);
  }
}

TEST(ToInteger, ProductsAndConstantOperandsAreExact) {
  GraphBuilder b("net", 0);
  const Value x = b.input("x", {-1, 6});
  const Value a = b.module("linear", "a", {x}, {{"in_features", 6}, {"out_features", 4}});
  const Value p = b.function("mul", {a, a}, {}, "square");
  const Value q = b.function("mul", {p, a}, {}, "product");
  const Value h = b.function("mul", {q}, {{"other", 0.75}}, "scaled");
  const Value s = b.function("sub", {h}, {{"other", -2.5}}, "moved");
  const Value third = b.function("mul", {s}, {{"other", 1.0 / 3}}, "third");
  const Value y = b.module("linear", "last", {third}, {{"in_features", 4}, {"out_features", 3}});
  Graph graph = std::move(b).finish({y}).value();
  train(graph, 4);
  quantise_all(graph, fixed(6, 3));
  const Compared found = compare(graph, samples({300, 6}, 5));
  EXPECT_EQ(found.circuits_differ, 0);
  EXPECT_LE(found.floats_differ, found.remarked ? 2 : 0);
}

TEST(ToInteger, ReductionsOverPositionsAreExact) {
  for (const char* op : {"sum", "mean", "amax"}) {
    GraphBuilder b("net", 0);
    Value x = b.input("x", {-1, 3, 4, 5});
    x = b.function(op, {x}, {{"dim", Ints{2, 3}}}, "all");
    x = b.module("linear", "last", {x}, {{"in_features", 3}, {"out_features", 2}});
    Graph graph = std::move(b).finish({x}).value();
    train(graph, 3);
    quantise_all(graph, fixed(7, 3));
    graph.node(*graph.find("all")).formats["data_in_0"] = fixed(7, 3);
    const Compared found = compare(graph, samples({100, 3, 4, 5}, 5));
    EXPECT_EQ(found.circuits_differ, 0) << op;
    EXPECT_LE(found.floats_differ, found.remarked ? 2 : 0) << op;
  }
}

/// Softmax between two formats, over `size` numbers.
Graph softmax_network(std::int64_t size, const NumberFormat& in, const NumberFormat& out) {
  GraphBuilder b("net", 0);
  const Value x = b.input("x", {-1, size});
  const Value s = b.module("softmax", "soft", {x}, {{"dim", 1}});
  Graph graph = std::move(b).finish({s}).value();
  graph.node(*graph.find("soft")).formats = {{"data_in_0", in}, {"data_out_0", out}};
  return graph;
}

TEST(ToInteger, SoftmaxIsWhatTheFormatMakesOfTheRealQuotients) {
  const std::vector<NumberFormat> results = {
      fixed(8, 7),
      {"integer", {{"width", 6}, {"frac_width", 6}, {"is_signed", false}}},
      {"integer_floor", {{"width", 8}, {"frac_width", 6}}}};
  for (const NumberFormat& out : results) {
    // Few enough inputs that all of them are checked, and more than that.
    for (const auto& [size, width] : {std::pair(3, 5), std::pair(6, 8)}) {
      const Graph graph = softmax_network(size, fixed(width, 3), out);
      const Tensor x = samples({400, size}, 5);
      const Compared found = compare(graph, x);
      EXPECT_EQ(found.circuits_differ, 0) << out.name;
      EXPECT_LE(found.floats_differ, 1) << out.name;
    }
  }
}

TEST(ToInteger, ANetworkMayEndWithTheNumberOfItsGreatestResult) {
  Graph graph = small_network([](GraphBuilder& /*b*/, Value x) { return x; });
  quantise_all(graph, fixed(4, 1));
  const IntegerGraph plain = to_integer(graph).value();
  const IntegerGraph chosen = with_argmax(plain).value();
  ASSERT_TRUE(verify(chosen));
  const Netlist netlist = to_netlist(chosen).value();
  Interpreter before(plain);
  Interpreter after(chosen);
  const auto rows = encode_rows(plain, 0, samples({300, 6}, 5)).value();
  for (const Codes& row : rows) {
    const Codes y = before.run({&row, 1});
    const Codes first = {std::max_element(y.begin(), y.end()) - y.begin()};
    EXPECT_EQ(after.run({&row, 1}), first);
    EXPECT_EQ(NetlistInterpreter(netlist).run(row), first);
  }
}

TEST(ToNetlist, RegistersStandBehindTheRoundingThatFollowsALayer) {
  Graph graph = small_network([](GraphBuilder& b, Value x) {
    x = b.module("relu", "act", {x});
    return b.module("linear", "last", {x}, {{"in_features", 4}, {"out_features", 3}});
  });
  quantise_all(graph, fixed(6, 3));
  const IntegerGraph integers = to_integer(graph).value();
  const Netlist registered = to_netlist(integers).value();
  EXPECT_EQ(registered.top().latency, 2);
  // Four numbers behind the ReLU, three sums at the end.
  std::int64_t bits = 0;
  for (const IntegerNode& node : integers.nodes)
    if (node.name == "act" || node.name == "last")
      for (const Interval& range : node.type.ranges) bits += width_of(range);
  EXPECT_EQ(count_cells(registered).registers, bits);
  EXPECT_EQ(to_netlist(integers, {.registers = false}).value().top().latency, 0);
}

TEST(ToInteger, SumsBeyondTwentyFourBitsAreRemarked) {
  Graph graph = small_network([](GraphBuilder& /*b*/, Value x) { return x; });
  quantise_all(graph, fixed(16, 8));
  const IntegerGraph integers = to_integer(graph).value();
  EXPECT_EQ(integers.nodes.back().remark.substr(0, 13), "sums of up to");
}

TEST(ToInteger, OneErrorListsEveryNodeThatHasNoIntegerForm) {
  Graph graph = small_network([](GraphBuilder& b, Value x) {
    const Value s = b.module("softmax", "soft", {x}, {{"dim", 1}});
    return b.module("linear", "last", {s}, {{"in_features", 4}, {"out_features", 3}});
  });
  quantise_all(graph, fixed(8, 4));
  graph.node(*graph.find("fc")).formats.erase("weight");
  Result<IntegerGraph> made = to_integer(graph);
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().what, "the network has no integer form: 1 node cannot be turned into one");
  EXPECT_EQ(made.error().notes[0], "fc (linear): its weight is float32");
  graph.node(*graph.find("fc")).formats["weight"] = {"integer", {{"width", 8}, {"frac_width", 4}}};
  graph.node(*graph.find("last")).formats["weight"] = {
      "lsq_integer", {{"width", 4}, {"step", std::vector<double>{0.1}}}};
  made = to_integer(graph);
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().notes[0],
            "output (last): the result is a real number, made by the scale of last");
}

TEST(ToInteger, ScalesThatAreNoPowersOfTwoAreAppliedByTheNextFormat) {
  const NumberFormat learned = {"lsq_integer",
                                {{"width", 5}, {"step", std::vector<double>{0.171}}}};
  const NumberFormat any = {
      "affine", {{"width", 4}, {"is_signed", false}, {"scale", std::vector<double>{0.37}}}};
  const NumberFormat weights = {"lsq_integer",
                                {{"width", 4}, {"step", std::vector<double>{0.083}}}};
  for (const NumberFormat& weight : {weights, fixed(6, 4)}) {
    Graph graph = small_network([](GraphBuilder& b, Value x) {
      x = b.module("batch_norm1d", "norm", {x}, {{"num_features", 4}});
      x = b.function("relu", {x});
      return b.module("linear", "last", {x}, {{"in_features", 4}, {"out_features", 3}});
    });
    for (const NodeId id : graph.order()) {
      Node& node = graph.node(id);
      if (node.op != "linear") continue;
      node.formats = {{"data_in_0", node.name == "last" ? any : learned},
                      {"weight", weight},
                      {"bias", fixed(8, 4)}};
      if (node.name == "last") node.formats["data_out_0"] = fixed(8, 4);
    }
    const Compared found = compare(graph, samples({1000, 6}, 5));
    EXPECT_EQ(found.circuits_differ, 0);
    EXPECT_TRUE(found.remarked);
    EXPECT_LE(found.floats_differ, 5) << "of 3,000: float32 rounds products with the scales";
  }
}

TEST(ToInteger, ABiasWithoutAFormatIsAddedBeforeTheNextRounding) {
  Graph graph =
      small_network([](GraphBuilder& b, Value x) { return b.module("relu", "act", {x}); });
  quantise_all(graph, fixed(8, 4));
  graph.node(*graph.find("fc")).formats.erase("bias");
  const Compared found = compare(graph, samples({300, 6}, 5));
  EXPECT_EQ(found.circuits_differ, 0);
  EXPECT_LE(found.floats_differ, found.remarked ? 2 : 0);
}

}  // namespace
}  // namespace chop::hardware
