#include "runtime/plan/fuse.hpp"

#include <algorithm>
#include <map>
#include <vector>

#include "ops/core/registry.hpp"

namespace chop::runtime {
namespace {

class Fusion {
 public:
  Fusion(Graph& graph, const std::set<Value>& seen) : graph_(graph), seen_(seen) {}

  std::size_t run() {
    const std::vector<NodeId> order(graph_.order().begin(), graph_.order().end());
    for (std::size_t i = 0; i < order.size(); ++i) place_[order[i]] = i;
    for (const NodeId id : order)
      for (const Value& input : graph_.node(id).inputs) readers_[input].push_back(id);
    std::size_t gone = 0;
    for (const NodeId id : order)
      if (forward(id) || backward(id)) ++gone;
    return gone;
  }

 private:
  bool is_call(NodeId id) const {
    const Node& node = graph_.node(id);
    return node.opcode == Opcode::CallFunction && node.formats.empty();
  }

  /// Whether the call could do a relu as well, and does not yet.
  bool can_clamp(NodeId id) const {
    if (!is_call(id)) return false;
    return find_field(op_of(graph_.node(id)).attrs, "relu") != nullptr &&
           !graph_.node(id).attrs.contains("relu");
  }

  /// relu(f(x)): the relu's node becomes the fused call, so readers of its value stay.
  bool forward(NodeId id) {
    if (!is_call(id) || graph_.node(id).op != "relu") return false;
    const Value before = graph_.node(id).inputs[0];
    if (before.index != 0 || !can_clamp(before.node) || readers_[before].size() != 1) return false;
    for (const auto& [value, readers] : readers_)
      if (value.node == before.node && value.index > 0)
        for (const NodeId reader : readers)
          if (seen_.contains(value) || place_.at(reader) < place_.at(id)) return false;
    Node& fused = graph_.node(id);
    const Node& f = graph_.node(before.node);
    fused.op = f.op;
    fused.target = f.target;
    fused.inputs = f.inputs;
    fused.attrs = f.attrs;
    fused.attrs["relu"] = true;
    move_readers(before.node, id);
    graph_.erase(before.node);
    return true;
  }

  /// All results but the first of a call that another one replaces.
  void move_readers(NodeId from, NodeId to) {
    std::map<Value, std::vector<NodeId>> moved;
    for (const auto& [value, readers] : readers_)
      if (value.node == from && value.index > 0) moved.emplace(value, readers);
    for (const auto& [value, readers] : moved) {
      graph_.replace_uses(value, {to, value.index});
      readers_[{to, value.index}] = readers;
    }
  }

  /// f_grad(relu_grad(dy, y, y), ...): the gradient of f takes dy and y itself.
  bool backward(NodeId id) {
    const Node& relu = graph_.node(id);
    if (!is_call(id) || relu.op != "unary_grad") return false;
    if (std::get<std::string>(relu.attrs.at("of")) != "relu") return false;
    const Value masked{id};
    if (readers_[masked].size() != 1 || seen_.contains(masked)) return false;
    const NodeId reader = readers_[masked][0];
    if (!can_clamp(reader) || graph_.node(reader).inputs[0] != masked) return false;
    const Value dy = relu.inputs[0];
    const Value y = relu.inputs[2];
    Node& fused = graph_.node(reader);
    fused.inputs[0] = dy;
    fused.inputs.push_back(y);
    fused.attrs["relu"] = true;
    std::erase(readers_[dy], id);
    std::erase(readers_[y], id);
    readers_[dy].push_back(reader);
    readers_[y].push_back(reader);
    graph_.erase(id);
    return true;
  }

  Graph& graph_;
  const std::set<Value>& seen_;
  std::map<NodeId, std::size_t> place_;
  std::map<Value, std::vector<NodeId>> readers_;
};

}  // namespace

std::size_t fuse(Graph& lowered, const std::set<Value>& seen) {
  return Fusion(lowered, seen).run();
}

}  // namespace chop::runtime
