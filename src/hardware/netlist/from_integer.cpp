// The module of every node is built (LayerMaker), then the top connects them and delays what comes
// early (Placement). For a number of stages, bisection finds the least logic depth that keeps to
// it.
#include "hardware/netlist/from_integer.hpp"

#include "hardware/cost/rough.hpp"
#include "hardware/netlist/layer_builder.hpp"
#include "hardware/netlist/pipeline.hpp"

namespace chop::hardware {
namespace {

int bits(const IntegerType& type) {
  int sum = 0;
  for (const Interval& range : type.ranges) sum += width_of(range);
  return sum;
}

/// The modules of all nodes that compute, before they are connected.
struct Layers {
  struct Layer {
    Module module;  ///< with the registers of NetlistOptions::registers, or none
    std::string instance;
    int levels = 0;  ///< of logic
    bool is_built = false;
    bool goes_on = false;  ///< its only reader is elementwise and narrower
    int group_levels = 0;  ///< with those of the readers it goes on to
  };
  Netlist kernels;            ///< that they have instances of
  std::vector<Layer> layers;  ///< by node
};

/// By node, no two alike; "" of one that computes nothing.
std::vector<std::string> instance_names(const IntegerGraph& graph) {
  std::map<std::string, int> uses;
  std::vector<std::string> names;
  for (const IntegerNode& node : graph.nodes) {
    const IntegerOpDef& op = *find_integer_op(node.op);
    std::string name;
    if (op.wires == nullptr && op.build != nullptr) {
      name = plain_name(node.name);
      if (const int n = ++uses[name]; n > 1) name += cat("_", n);
    }
    names.push_back(std::move(name));
  }
  return names;
}

class LayerMaker {
 public:
  LayerMaker(const IntegerGraph& graph, const NetlistOptions& options, bool registered)
      : graph_(graph), options_(options), registered_(registered) {}

  Layers run() {
    names_ = instance_names(graph_);
    readers_.resize(graph_.nodes.size());
    for (std::size_t i = 0; i < graph_.nodes.size(); ++i)
      for (const std::size_t input : graph_.nodes[i].inputs) readers_[input].push_back(i);
    for (const std::size_t output : graph_.outputs) readers_[output].push_back(graph_.nodes.size());
    for (std::size_t i = 0; i < graph_.nodes.size(); ++i) made_.layers.push_back(layer(i));
    for (std::size_t i = made_.layers.size(); i-- > 0;) {
      Layers::Layer& layer = made_.layers[i];
      layer.group_levels =
          layer.levels + (layer.goes_on ? made_.layers[readers_[i][0]].group_levels : 0);
    }
    return std::move(made_);
  }

 private:
  Layers::Layer layer(std::size_t index) {
    const IntegerNode& node = graph_.nodes[index];
    const IntegerOpDef& op = *find_integer_op(node.op);
    Layers::Layer layer;
    if (names_[index].empty()) return layer;
    layer.is_built = true;
    layer.instance = names_[index];
    layer.goes_on = goes_on(index);
    LayerBuilder builder(call_of(graph_, node), made_.kernels,
                         cat(plain_name(graph_.name), "_", layer.instance), options_.adders);
    op.build(builder);
    layer.module = std::move(builder).finish(registered_ && !layer.goes_on);
    if (!registered_) layer.levels = logic_depth(made_.kernels, layer.module);
    return layer;
  }

  bool goes_on(std::size_t index) const {
    if (readers_[index].size() != 1 || readers_[index][0] == graph_.nodes.size()) return false;
    const IntegerNode& reader = graph_.nodes[readers_[index][0]];
    return find_integer_op(reader.op)->is_elementwise() &&
           bits(reader.type) <= bits(graph_.nodes[index].type);
  }

  const IntegerGraph& graph_;
  const NetlistOptions& options_;
  bool registered_;
  Layers made_;
  std::vector<std::vector<std::size_t>> readers_;  ///< the size of the graph stands for its end
  std::vector<std::string> names_;                 ///< of the instances
};

/// The wires of a node's elements in the top module, and when they are there.
struct Placed {
  std::vector<WireId> wires;
  Phase phase = {};
};

/// Connects the layers; with a depth it puts registers between and into them.
class Placement {
 public:
  Placement(const IntegerGraph& graph, const Layers& layers, int depth)
      : graph_(graph),
        layers_(layers),
        depth_(depth),
        netlist_(layers.kernels),
        pipeliner_(netlist_, depth),
        top_(plain_name(graph.name)) {}

  /// With at least so many registers from inputs to outputs.
  Result<Netlist> run(int least_latency) {
    top_.comment(cat("network ", graph_.name));
    for (std::size_t i = 0; i < graph_.nodes.size(); ++i) CH_CHECK(place(i));
    int latency = least_latency;
    for (const std::size_t output : graph_.outputs) {
      const Phase& phase = placed_[output].phase;
      const bool open = depth_ > 0 && (phase.level > 0 || phase.stage == 0);
      latency = std::max(latency, phase.stage + (open ? 1 : 0));
    }
    for (std::size_t i = 0; i < graph_.outputs.size(); ++i) {
      const Placed outputs = delayed(placed_[graph_.outputs[i]], latency);
      const std::string port = graph_.outputs.size() == 1 ? "y" : cat("y", i);
      for (std::size_t k = 0; k < outputs.wires.size(); ++k)
        top_.output(cat(port, "_", k), outputs.wires[k]);
    }
    netlist_.modules.push_back(std::move(top_).finish(latency));
    Netlist made = without_unused(std::move(netlist_));
    CH_CHECK(verify(made));
    return made;
  }

 private:
  Status place(std::size_t index) {
    const IntegerNode& node = graph_.nodes[index];
    const IntegerOpDef& op = *find_integer_op(node.op);
    const IntegerCall call = call_of(graph_, node);
    Placed result;
    for (const std::size_t input : node.inputs)
      result.phase = std::max(result.phase, placed_[input].phase);
    const Layers::Layer& layer = layers_.layers[index];
    if (depth_ > 0 && layer.is_built && result.phase.level > 0 &&
        result.phase.level + layer.group_levels > depth_ && !follows(index))
      result.phase = {result.phase.stage + 1, 0};
    std::vector<Placed> in;
    for (const std::size_t input : node.inputs)
      in.push_back(delayed(placed_[input], result.phase.stage));
    if (op.wires != nullptr) {
      for (const Wired& wired : op.wires(call))
        result.wires.push_back(in[wired.input].wires[wired.element]);
    } else if (layer.is_built) {
      CH_CHECK(instantiate(layer, op, call, in, result));
    } else {
      for (std::size_t k = 0; k < node.type.size(); ++k)
        result.wires.push_back(top_.input(cat(plain_name(node.name), "_", k), node.type.ranges[k]));
    }
    placed_.push_back(std::move(result));
    return {};
  }

  /// Whether it is the reader that a layer goes on to.
  bool follows(std::size_t index) const {
    const std::vector<std::size_t>& inputs = graph_.nodes[index].inputs;
    return inputs.size() == 1 && layers_.layers[inputs[0]].goes_on;
  }

  Status instantiate(const Layers::Layer& layer, const IntegerOpDef& op, const IntegerCall& call,
                     std::span<const Placed> in, Placed& result) {
    Pipeliner::Pipelined made{layer.module};
    if (depth_ > 0) made = pipeliner_.run(layer.module, result.phase.level);
    const int latency = made.module.latency;
    result.phase = {result.phase.stage + latency, depth_ > 0 ? made.level : 0};
    netlist_.modules.push_back(std::move(made.module));
    if (op.prove != nullptr) CH_CHECK(op.prove(call, netlist_, netlist_.modules.size() - 1));
    std::vector<WireId> wires;
    for (const Placed& input : in)
      wires.insert(wires.end(), input.wires.begin(), input.wires.end());
    result.wires =
        top_.instance(layer.instance, netlist_, netlist_.modules.size() - 1, std::move(wires));
    return {};
  }

  Placed delayed(Placed placed, int stage) {
    for (; placed.phase.stage < stage; ++placed.phase.stage)
      for (WireId& wire : placed.wires) wire = top_.registered(wire);
    return placed;
  }

  const IntegerGraph& graph_;
  const Layers& layers_;
  int depth_;
  Netlist netlist_;
  Pipeliner pipeliner_;
  ModuleBuilder top_;
  std::vector<Placed> placed_;
};

/// The netlist with `stages` registers from inputs to outputs and as little logic as can be between
/// two of them.
Result<Netlist> balanced(const IntegerGraph& graph, const Layers& layers, int stages) {
  int most = 1;
  for (const Layers::Layer& layer : layers.layers) most += layer.levels;
  int least = 1;
  while (least < most) {
    const int depth = least + (most - least) / 2;
    CH_TRY(const Netlist made, Placement(graph, layers, depth).run(0));
    if (made.top().latency <= stages)
      most = depth;
    else
      least = depth + 1;
  }
  return Placement(graph, layers, most).run(stages);
}

}  // namespace

std::vector<Field> netlist_fields() {
  return {{.name = "adders",
           .initial = "shared",
           .doc = "how products by constants are made: left to the synthesiser (plain), canonical "
                  "signed digits, the same with shared sums, tables of narrow inputs within the "
                  "LUTs of adders, or of each matrix the best of these by the estimate",
           .choices = adder_method_names()},
          {.name = "depth",
           .doc = "adders in a row on any path through a layer, at most; without it any number",
           .kind = FieldKind::Integer,
           .bounds = {.least = 1, .most = 64}},
          {.name = "table_bits",
           .initial = NetlistOptions().table_bits,
           .doc = "neurons of at most so many input bits become tables where those take fewer LUTs "
                  "than adders; 0: none",
           .bounds = {.least = 0, .most = 16}},
          {.name = "combinational", .initial = false, .doc = "no registers between the layers"}};
}

NetlistOptions netlist_options(std::string_view adders, std::int64_t depth, std::int64_t table_bits,
                               bool combinational) {
  return {.adders = {.method = adder_method_from_name(adders), .depth = static_cast<int>(depth)},
          .table_bits = static_cast<int>(table_bits),
          .registers = !combinational};
}

std::vector<std::string> module_names(const IntegerGraph& graph) {
  std::vector<std::string> names = instance_names(graph);
  for (std::string& name : names)
    if (!name.empty()) name = cat(plain_name(graph.name), "_", name);
  return names;
}

Result<Netlist> to_netlist(const IntegerGraph& graph, const NetlistOptions& options) {
  CH_CHECK(verify(graph));
  CH_CHECK(check_size(graph));
  const bool pipelined = options.logic_depth > 0 || options.stages > 0;
  const Layers layers = LayerMaker(graph, options, options.registers && !pipelined).run();
  if (options.stages > 0) return balanced(graph, layers, options.stages);
  return Placement(graph, layers, options.logic_depth).run(0);
}

}  // namespace chop::hardware
