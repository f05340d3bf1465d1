#include "hardware/netlist/from_integer.hpp"

#include "hardware/netlist/layer_builder.hpp"

namespace chop::hardware {
namespace {

/// A name as hardware languages take it.
std::string plain_name(std::string_view text) {
  std::string name;
  for (const char c : text) {
    const bool fits = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    name += fits ? c : '_';
  }
  const bool has_letter_first = !name.empty() && (name[0] < '0' || name[0] > '9');
  return has_letter_first ? name : cat("n", name);
}

/// The wires of a node's elements in the top module, and the cycle in which they are there.
struct Placed {
  std::vector<WireId> wires;
  int cycle = 0;
};

class NetlistLowering {
 public:
  NetlistLowering(const IntegerGraph& graph, const NetlistOptions& options)
      : graph_(graph), options_(options), top_(plain_name(graph.name)) {}

  Result<Netlist> run() {
    top_.comment(cat("network ", graph_.name));
    for (std::size_t i = 0; i < graph_.nodes.size(); ++i) CH_CHECK(place(i));
    int latency = 0;
    for (const std::size_t output : graph_.outputs)
      latency = std::max(latency, placed_[output].cycle);
    for (std::size_t i = 0; i < graph_.outputs.size(); ++i) {
      const Placed outputs = delayed(placed_[graph_.outputs[i]], latency);
      const std::string port = graph_.outputs.size() == 1 ? "y" : cat("y", i);
      for (std::size_t k = 0; k < outputs.wires.size(); ++k)
        top_.output(cat(port, "_", k), outputs.wires[k]);
    }
    netlist_.modules.push_back(std::move(top_).finish(latency));
    CH_CHECK(verify(netlist_));
    return std::move(netlist_);
  }

 private:
  Status place(std::size_t index) {
    const IntegerNode& node = graph_.nodes[index];
    const IntegerOpDef& op = *find_integer_op(node.op);
    const IntegerCall call = call_of(graph_, node);
    Placed result;
    for (const std::size_t input : node.inputs)
      result.cycle = std::max(result.cycle, placed_[input].cycle);
    std::vector<Placed> in;
    for (const std::size_t input : node.inputs) in.push_back(delayed(placed_[input], result.cycle));
    if (op.wires != nullptr) {
      for (const Wired& wired : op.wires(call))
        result.wires.push_back(in[wired.input].wires[wired.element]);
    } else if (op.build != nullptr) {
      CH_CHECK(instantiate(op, call, in, result));
    } else {
      for (std::size_t k = 0; k < node.type.size(); ++k)
        result.wires.push_back(top_.input(cat(plain_name(node.name), "_", k), node.type.ranges[k]));
    }
    placed_.push_back(std::move(result));
    return {};
  }

  Status instantiate(const IntegerOpDef& op, const IntegerCall& call, std::span<const Placed> in,
                     Placed& result) {
    const std::string name = unused(plain_name(call.node.name));
    LayerBuilder builder(call, netlist_, cat(plain_name(graph_.name), "_", name), options_.adders);
    op.build(builder);
    Module module = std::move(builder).finish(options_.registers && !goes_on(call.node));
    result.cycle += module.latency;
    netlist_.modules.push_back(std::move(module));
    if (op.prove != nullptr) CH_CHECK(op.prove(call, netlist_, netlist_.modules.size() - 1));
    std::vector<WireId> wires;
    for (const Placed& input : in)
      wires.insert(wires.end(), input.wires.begin(), input.wires.end());
    result.wires = top_.instance(name, netlist_, netlist_.modules.size() - 1, std::move(wires));
    return {};
  }

  static int bits(const IntegerType& type) {
    int sum = 0;
    for (const Interval& range : type.ranges) sum += width_of(range);
    return sum;
  }

  /// Whether the only reader is elementwise and narrower: the register stands behind that one.
  bool goes_on(const IntegerNode& node) const {
    const auto index = static_cast<std::size_t>(&node - graph_.nodes.data());
    const IntegerNode* reader = nullptr;
    for (const IntegerNode& other : graph_.nodes)
      for (const std::size_t input : other.inputs) {
        if (input != index) continue;
        if (reader != nullptr) return false;
        reader = &other;
      }
    const auto& outputs = graph_.outputs;
    if (std::find(outputs.begin(), outputs.end(), index) != outputs.end()) return false;
    return reader != nullptr && find_integer_op(reader->op)->elementwise &&
           bits(reader->type) <= bits(node.type);
  }

  std::string unused(std::string name) {
    int& uses = names_[name];
    if (uses++ > 0) name += cat("_", uses);
    return name;
  }

  Placed delayed(Placed placed, int cycle) {
    for (; placed.cycle < cycle; ++placed.cycle)
      for (WireId& wire : placed.wires) wire = top_.registered(wire);
    return placed;
  }

  const IntegerGraph& graph_;
  NetlistOptions options_;
  Netlist netlist_;
  ModuleBuilder top_;
  std::vector<Placed> placed_;
  std::map<std::string, int> names_;
};

}  // namespace

Result<Netlist> to_netlist(const IntegerGraph& graph, const NetlistOptions& options) {
  CH_CHECK(verify(graph));
  return NetlistLowering(graph, options).run();
}

}  // namespace chop::hardware
