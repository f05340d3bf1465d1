// Puts values on their grid before a call that selects some of them (max pooling) instead of after
// it: bytes are then selected instead of floats, and fewer are written.
//
//   %pool = max_pool2d(%relu)
//   %q = quantize(%pool)
//   %conv = conv2d(%q, ...)
// =>
//   %q = quantize(%relu)
//   %pool = max_pool2d(%q)
//   %conv = conv2d(%pool, ...)
//
// Rounding keeps the order of values, so the same elements are selected, except that 0 and -0 may
// be exchanged. Sums of products do not depend on the sign of zero, so every reader must be a
// convolution or product.
#include "compile/call_facts.hpp"
#include "compile/step_def.hpp"
#include "runtime/conv/frozen/apply_epilogue.hpp"

namespace chop::compile::steps::quantise_early {
namespace {

class Mover {
 public:
  explicit Mover(State& state)
      : graph_(state.graph),
        types_(*state.types),
        observed_(state.observed()),
        readers_(readers_of(state.graph)) {}

  bool run() {
    const std::vector<NodeId> order(graph_.order().begin(), graph_.order().end());
    bool changed = false;
    for (const NodeId id : order)
      if (can_move(id)) {
        move(id);
        changed = true;
      }
    return changed;
  }

 private:
  /// Whether `late` rounds the result of a selecting call, and no reader can tell if it rounds
  /// before that call instead.
  bool can_move(NodeId late) {
    if (!is_call(graph_, late) || selects_elements(graph_, types_, late)) return false;
    const std::optional<Grid> grid = grid_of(graph_, types_, {late});
    if (!grid || !fits_byte(*grid) || observed_.contains({late})) return false;
    const Value selected = graph_.node(late).inputs[0];
    if (!selects_elements(graph_, types_, selected.node) || selected.index != 0) return false;
    if (observed_.contains(selected) || readers_[selected].size() != 1) return false;
    const std::vector<NodeId>& users = readers_[{late}];
    return std::all_of(users.begin(), users.end(), [&](NodeId id) { return may_head(graph_, id); });
  }

  void move(NodeId late) {
    const Value selected = graph_.node(late).inputs[0];
    Node early = graph_.node(late);
    early.inputs = graph_.node(selected.node).inputs;
    graph_.replace_uses({late}, selected);
    graph_.erase(late);  // first, so that its name is free
    const NodeId made = graph_.insert_before(selected.node, std::move(early));
    graph_.node(selected.node).inputs = {{made}};
  }

  Graph& graph_;
  const Types& types_;
  std::set<Value> observed_;
  Readers readers_;
};

Status run(State& state) {
  if (Mover(state).run()) state.types.reset();
  return {};
}

}  // namespace

StepDef define() {
  return {.name = "quantise_early",
          .doc = "round before a max pooling instead of after it, so that it works on 8-bit codes",
          .after = "slices",
          .applies = when_frozen,
          .needs_types = true,
          .run = run};
}

}  // namespace chop::compile::steps::quantise_early
