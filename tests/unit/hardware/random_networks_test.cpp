// Random small networks: shapes, formats and ops are drawn; integers, circuit and float run agree.
#include <gtest/gtest.h>

#include "compile/run_graph.hpp"
#include "hardware/lowering/to_integer.hpp"
#include "hardware/netlist/from_integer.hpp"
#include "ops/core/builder.hpp"
#include "ops/core/registry.hpp"
#include "support/rng.hpp"

namespace chop::hardware {
namespace {

/// Draws from one stream.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : stream_(seed, "dice") {}
  std::int64_t whole(std::int64_t low, std::int64_t high) {
    return low +
           static_cast<std::int64_t>(stream_.uniform(n_++) * static_cast<double>(high - low + 1));
  }
  double normal() { return stream_.normal(n_++); }
  NumberFormat format() {
    const std::int64_t width = whole(2, 8);
    const Attrs fixed = {{"width", width}, {"frac_width", whole(0, width)}};
    switch (whole(0, 3)) {
      case 0:
        return {"integer_floor", fixed};
      case 1:
        return {"lsq_integer",
                {{"width", width},
                 {"step", std::vector<double>{std::ldexp(1.0, static_cast<int>(-whole(0, 4)))}}}};
      default:
        return {"integer", fixed};
    }
  }

 private:
  Stream stream_;
  std::uint64_t n_ = 0;
};

Value layer(GraphBuilder& b, Value x, Dice& dice, int number) {
  static constexpr std::array<const char*, 6> kFunctions = {"relu", "relu6",     "sigmoid",
                                                            "tanh", "hardswish", "leaky_relu"};
  const std::string name = cat("l", number);
  const std::int64_t width = b.dim(x, 1);
  switch (dice.whole(0, 4)) {
    case 0:
      return b.module("batch_norm1d", name, {x}, {{"num_features", width}});
    case 1:
      return b.module(kFunctions[static_cast<std::size_t>(dice.whole(0, 5))], name, {x});
    case 2:
      return b.function(dice.whole(0, 1) == 0 ? "add" : "sub", {x, x}, {}, name);
    default:
      return b.module("linear", name, {x},
                      {{"in_features", width},
                       {"out_features", dice.whole(1, 6)},
                       {"bias", dice.whole(0, 1) == 1}});
  }
}

Graph random_network(Dice& dice) {
  GraphBuilder b("net", 0);
  Value x = b.input("x", {-1, dice.whole(1, 6)});
  const std::int64_t layers = dice.whole(1, 5);
  for (int i = 0; i < layers; ++i) x = layer(b, x, dice, i);
  // What ends in a real number gets a format from a layer behind it.
  x = b.module("linear", "last", {x}, {{"in_features", b.dim(x, 1)}, {"out_features", 2}});
  Graph graph = std::move(b).finish({x}).value();
  for (Parameter& parameter : graph.parameters())
    for (float& value : parameter.value.mutable_data<float>())
      value = static_cast<float>(parameter.name.ends_with("_var") ? 0.5 + std::fabs(dice.normal())
                                                                  : dice.normal());
  for (const NodeId id : graph.order()) {
    Node& node = graph.node(id);
    if (!is_call(node.opcode)) continue;
    const OpDef& op = op_of(node);
    for (std::size_t i = 0; i < node.inputs.size(); ++i)
      node.formats[cat("data_in_", i)] = dice.format();
    if (op.weight_axis == 0) continue;
    node.formats["weight"] = dice.format();
    if (Call{op, node.attrs}.flag("bias")) node.formats["bias"] = dice.format();
  }
  return graph;
}

TEST(RandomNetworks, IntegersCircuitsAndFloatsAgree) {
  std::int64_t values = 0;
  std::int64_t remarked = 0;
  std::int64_t differing = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Dice dice(seed);
    const Graph graph = random_network(dice);
    Tensor x(DType::F32,
             {20, std::get<Ints>(graph.node(graph.placeholders()[0]).attrs.at("shape"))[1]});
    for (float& value : x.mutable_data<float>()) value = static_cast<float>(4 * dice.normal());
    const Result<IntegerGraph> made = to_integer(graph);
    ASSERT_TRUE(made) << "seed " << seed << ": " << to_string(made.error());
    const IntegerGraph& integers = made.value();
    bool may_differ = false;
    for (const IntegerNode& node : integers.nodes) may_differ |= !node.remark.empty();
    const AdderMethod method = static_cast<AdderMethod>(dice.whole(0, 2));
    const Result<Netlist> built =
        to_netlist(integers, {.adders = {.method = method}, .registers = seed % 2 == 0});
    ASSERT_TRUE(built) << "seed " << seed << ": " << to_string(built.error());
    const Netlist& netlist = built.value();
    std::vector<std::vector<Codes>> inputs;
    for (std::size_t i = 0; i < integers.inputs.size(); ++i)
      inputs.push_back(encode_rows(integers, i, x).value());
    const Tensor floats = compile::run_graph(graph, {{"x", x}}).value()[0].value;
    const int frac = integers.nodes[integers.outputs[0]].type.frac;
    Interpreter interpreter(integers);
    for (std::size_t row = 0; row < 20; ++row) {
      std::vector<Codes> sample;
      Codes ports;
      for (const auto& input : inputs) {
        sample.push_back(input[row]);
        ports.insert(ports.end(), input[row].begin(), input[row].end());
      }
      const Codes y = interpreter.run(sample);
      ASSERT_EQ(NetlistInterpreter(netlist).run(ports), y) << "seed " << seed;
      for (std::size_t i = 0; i < y.size(); ++i) {
        const double number = std::ldexp(static_cast<double>(y[i]), -frac);
        const bool same = number == floats.at(static_cast<std::int64_t>(row * y.size() + i));
        EXPECT_TRUE(same || may_differ) << "seed " << seed << ", row " << row;
        differing += same ? 0 : 1;
        remarked += may_differ ? 1 : 0;
        ++values;
      }
    }
  }
  EXPECT_EQ(values, 200 * 20 * 2);
  EXPECT_LT(remarked, values / 5);
  EXPECT_LT(differing, values / 1000);
}

}  // namespace
}  // namespace chop::hardware
