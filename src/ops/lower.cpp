#include "ops/lower.hpp"

#include <algorithm>
#include <map>

#include "ops/registry.hpp"

namespace chop {
namespace {

bool has_training_mode(const OpDef& op) {
  return std::any_of(op.attrs.begin(), op.attrs.end(),
                     [](const AttrDef& def) { return def.name == "training"; });
}

class Lowering {
 public:
  Lowering(const Graph& from, Mode mode) : from_(from), mode_(mode), to_(from.name()) {
    for (const Parameter& parameter : from.parameters()) to_.add_parameter(parameter);
  }

  Graph run() {
    for (const NodeId id : from_.order()) {
      Node node = from_.node(id);
      for (Value& input : node.inputs) input.node = moved_.at(input.node);
      if (node.opcode == Opcode::Output) {
        to_.set_outputs(std::move(node.inputs));
        continue;
      }
      if (node.opcode == Opcode::GetAttr) {
        moved_[id] = parameter(node.target).node;
        continue;
      }
      if (node.opcode != Opcode::Placeholder) make_explicit(node);
      moved_[id] = to_.add(std::move(node));
    }
    return std::move(to_);
  }

 private:
  Value parameter(const std::string& name) {
    const auto found = read_.find(name);
    if (found != read_.end()) return {found->second};
    const NodeId id =
        to_.add({.name = name, .opcode = Opcode::GetAttr, .op = "get_attr", .target = name});
    read_.emplace(name, id);
    return {id};
  }

  void make_explicit(Node& node) {
    const OpDef& op = op_of(node);
    if (mode_ == Mode::Training && has_training_mode(op)) node.attrs["training"] = true;
    if (node.opcode == Opcode::CallModule)
      for (const ParamDef& def : op.params)
        if (is_present(def, {op, node.attrs}))
          node.inputs.push_back(parameter(cat(node.target, ".", def.name)));
    node.opcode = Opcode::CallFunction;
  }

  const Graph& from_;
  Mode mode_;
  Graph to_;
  std::map<NodeId, NodeId> moved_;
  std::map<std::string, NodeId> read_;
};

}  // namespace

Graph lower(const Graph& graph, Mode mode) {
  return Lowering(graph, mode).run();
}

}  // namespace chop
