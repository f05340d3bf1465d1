// Operator fusion: a relu becomes part of the call whose result it clamps, and its gradient part of
// that call's gradient. Results stay the same bits: the fused kernel does the same arithmetic, only
// without a trip through memory.
//
//   %fc = linear(%x, %w)
//   %y = relu(%fc)
// =>
//   %y = linear(%x, %w) {relu=true}
//
//   %dfc = unary_grad(%dy, %y, %y) {of="relu"}
//   %dx = linear_grad(%dfc, %x, %w)
// =>
//   %dx = linear_grad(%dy, %x, %w, %y) {relu=true}
//
// Only where no other call reads the value in between. Trait::TakesRelu marks the ops that can do a
// relu as well, Trait::Rectifier the ops that are one.

#include "compile/call_facts.hpp"
#include "compile/step_def.hpp"
#include "ops/core/registry.hpp"

namespace chop::compile::steps::fuse {
namespace {

class Fusion {
 public:
  explicit Fusion(State& state) : state_(state), graph_(state.graph), observed_(state.observed()) {}

  bool run() {
    const std::vector<NodeId> order(graph_.order().begin(), graph_.order().end());
    for (std::size_t i = 0; i < order.size(); ++i) position_[order[i]] = i;
    readers_ = readers_of(graph_);
    bool changed = false;
    for (const NodeId id : order) changed = forward(id) || backward(id) || changed;
    return changed;
  }

 private:
  bool is_plain_call(NodeId id) const {
    return is_call(graph_, id) && graph_.node(id).formats.empty();
  }

  /// Whether the call could do a relu as well, and does not yet.
  bool can_clamp(NodeId id) const {
    return is_plain_call(id) && has(op_of(graph_.node(id)).traits, Trait::TakesRelu) &&
           !graph_.node(id).attrs.contains(kReluAttr);
  }

  bool is_relu(NodeId id) const {
    return is_plain_call(id) && has(op_of(graph_.node(id)).traits, Trait::Rectifier);
  }

  /// The derivative of a relu, given dy, x and y.
  bool is_relu_gradient(NodeId id) const {
    if (!is_plain_call(id)) return false;
    const Node& node = graph_.node(id);
    const auto of = node.attrs.find(std::string(op_of(node).attrs_of));
    if (of == node.attrs.end()) return false;
    const Result<const OpDef*> op = find_op(std::get<std::string>(of->second));
    return op && has(op.value()->traits, Trait::Rectifier);
  }

  /// The call is one whose results but the first nobody needs before `reader` has run.
  bool can_move_behind(NodeId call, NodeId reader) const {
    for (const Value& value : observed_)
      if (value.node == call && value.index > 0) return false;
    for (const auto& [value, readers] : readers_)
      if (value.node == call && value.index > 0)
        for (const NodeId other : readers)
          if (position_.at(other) < position_.at(reader)) return false;
    return true;
  }

  /// relu(f(x)): the relu's node becomes the fused call, so readers of its value stay.
  bool forward(NodeId id) {
    if (!is_relu(id)) return false;
    const Value before = graph_.node(id).inputs[0];
    if (before.index != 0 || !can_clamp(before.node)) return false;
    if (readers_[before].size() != 1 || observed_.contains(before) ||
        !can_move_behind(before.node, id)) {
      const std::string& into = graph_.node(before.node).name;
      state_.remarks.push_back({"fuse", cat("'", graph_.node(id).name, "' is not fused into '",
                                            into, "': others read '", into, "' too")});
      return false;
    }
    Node& fused = graph_.node(id);
    const Node& f = graph_.node(before.node);
    fused.op = f.op;
    fused.target = f.target;
    fused.inputs = f.inputs;
    fused.attrs = f.attrs;
    fused.attrs[kReluAttr] = true;
    move_readers(before.node, id);
    absorb(before.node, id);
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
    if (!is_relu_gradient(id)) return false;
    const Value masked{id};
    if (readers_[masked].size() != 1 || observed_.contains(masked)) return false;
    const NodeId reader = readers_[masked][0];
    if (!can_clamp(reader) || graph_.node(reader).inputs[0] != masked) return false;
    const Value dy = graph_.node(id).inputs[0];
    const Value y = graph_.node(id).inputs[2];
    Node& fused = graph_.node(reader);
    fused.inputs[0] = dy;
    fused.inputs.push_back(y);
    fused.attrs[kReluAttr] = true;
    std::erase(readers_[dy], id);
    std::erase(readers_[y], id);
    readers_[dy].push_back(reader);
    readers_[y].push_back(reader);
    absorb(id, reader);
    graph_.erase(id);
    return true;
  }

  void absorb(NodeId part, NodeId whole) {
    std::vector<NodeId> parts = state_.absorbed[part];
    state_.absorbed.erase(part);
    parts.push_back(part);
    std::vector<NodeId>& all = state_.absorbed[whole];
    all.insert(all.end(), parts.begin(), parts.end());
  }

  State& state_;
  Graph& graph_;
  std::set<Value> observed_;
  std::map<NodeId, std::size_t> position_;
  Readers readers_;
};

Status run(State& state) {
  if (Fusion(state).run()) state.types.reset();
  return {};
}

}  // namespace

StepDef define() {
  return {.name = "fuse",
          .doc = "make a relu part of the call before it, and its gradient of that call's gradient",
          .after = "prune",
          .applies = [](const Target& target) { return target.fuse && !target.reference_only; },
          .run = run};
}

}  // namespace chop::compile::steps::fuse
