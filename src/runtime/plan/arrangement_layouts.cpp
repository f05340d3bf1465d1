#include <algorithm>

#include "ops/core/registry.hpp"
#include "runtime/plan/arrangement.hpp"
#include "runtime/plan/call_facts.hpp"

namespace chop::runtime {
namespace {

/// Decides how images lie, and adds conversions where calls disagree.
class LayoutFinder {
 public:
  LayoutFinder(Graph& graph, const Types& types, Arrangement arrangement)
      : graph_(graph), types_(types), found_(std::move(arrangement)) {}

  Arrangement run() {
    for (const Chain& chain : found_.chains) {
      chained_.insert(chain.head);
      chained_.insert(chain.tail.begin(), chain.tail.end());
    }
    const std::vector<NodeId> order(graph_.order().begin(), graph_.order().end());
    for (const NodeId id : order) {
      const Opcode opcode = graph_.node(id).opcode;
      if (opcode == Opcode::Output) want(id, Layout::Dense);
      if (opcode == Opcode::CallFunction && !found_.constants.contains(id)) settle(id);
    }
    return std::move(found_);
  }

 private:
  bool is_image(Value value) const {
    return type_of(types_, value).shape.size() >= 3 &&
           graph_.node(value.node).opcode != Opcode::GetAttr &&
           !found_.constants.contains(value.node);
  }
  void settle(NodeId id) {
    const Layout layout = layout_for(id);
    want(id, layout);
    if (layout == Layout::Dense) return;
    found_.channels_last_calls.insert(id);
    for (std::uint32_t k = 0; k < types_[index(id)].size(); ++k)
      if (types_[index(id)][k].shape.size() >= 3) found_.channels_last.insert({id, k});
  }

  Layout layout_for(NodeId id) const {
    const Node& node = graph_.node(id);
    const Shape& out = types_[index(id)][0].shape;
    if (chained_.contains(id)) return out.size() >= 3 ? Layout::ChannelsLast : Layout::Dense;
    const bool asked = found_.coded.contains(Value{id}) ||
                       std::any_of(node.inputs.begin(), node.inputs.end(), [&](const Value& input) {
                         return found_.channels_last.contains(input);
                       });
    if (!asked || out.size() < 3) return Layout::Dense;
    std::vector<TensorType> in;
    const KernelCall call = describe_call(graph_, types_, id, in);
    if (has(call.op.traits, Trait::View) && !node.attrs.contains("training"))
      return in[0].shape == out ? Layout::ChannelsLast : Layout::Dense;
    const std::vector<const KernelDef*> defs = kernels_of(call.op);
    if (defs.size() != 1 || defs[0]->layouts == nullptr) return Layout::Dense;
    switch (defs[0]->layouts(call)) {
      case Layouts::Dense:
        return Layout::Dense;
      case Layouts::Both:
        return Layout::ChannelsLast;
      case Layouts::Same:
        break;
    }
    for (std::size_t i = 0; i < in.size(); ++i)
      if (numel(in[i].shape) != 1 && (in[i].shape != out || !is_image(node.inputs[i])))
        return Layout::Dense;
    return Layout::ChannelsLast;
  }

  /// Makes all images that a node reads lie in one way.
  void want(NodeId id, Layout layout) {
    for (std::size_t i = 0; i < graph_.node(id).inputs.size(); ++i) {
      const Value value = graph_.node(id).inputs[i];
      const Shape& shape = type_of(types_, value).shape;
      if (!is_image(value) || found_.layout(value) == layout || is_layout_free(shape)) continue;
      graph_.node(id).inputs[i] = converted(value, layout, id);
    }
  }

  Value converted(Value value, Layout layout, NodeId before) {
    const auto known = conversions_.find({value, layout});
    if (known != conversions_.end()) return known->second;
    const NodeId made = graph_.insert_before(
        before, {.name = cat(graph_.node(value.node).name,
                             layout == Layout::Dense ? "_dense" : "_channels_last"),
                 .opcode = Opcode::CallFunction,
                 .op = "identity",
                 .target = "identity",
                 .inputs = {value}});
    found_.conversions.insert(made);
    if (layout == Layout::ChannelsLast) found_.channels_last.insert({made});
    return conversions_.emplace(std::pair{value, layout}, Value{made}).first->second;
  }

  Graph& graph_;
  const Types& types_;
  Arrangement found_;
  std::set<NodeId> chained_;
  std::map<std::pair<Value, Layout>, Value> conversions_;
};

}  // namespace

Arrangement lay_out(Graph& graph, const Types& types, Arrangement arrangement) {
  return LayoutFinder(graph, types, std::move(arrangement)).run();
}

}  // namespace chop::runtime
