// Epilogue fusion: a convolution or product and the calls that finish its result run as one chain,
// tile by tile, while the accumulators are in the cache. A greedy walk from each head along its
// only reader:
//
//   %conv = conv2d(%x, %w)          # chain 1: conv2d + batch_norm2d + relu + quantize
//   %bn = batch_norm2d(%conv, ...)  # chain 1
//   %relu = relu(%bn)               # chain 1
//   %q = quantize(%relu)            # chain 1; u8
//   %next = conv2d(%q, %w2)         # chain 2: conv2d
//
// %conv, %bn and %relu never reach memory. The walk ends
//  - at bytes, which only the head of another chain reads;
//  - at a call that is no epilogue, or reads something that is not ready;
//  - at a value that others read too: it has to be kept. Behind it only a rounding to bytes
//    follows, which needs nothing else (a residual block: the sum is kept, and its bytes are for
//    the next one).
// Epilogue calls on rows [n, c] that no head comes before make chains among themselves: a batch
// norm of the input and the rounding behind it.
//
// A remark says why a call that could be part of a chain is part of none.
#include "compile/call_facts.hpp"
#include "compile/heads.hpp"
#include "compile/step_def.hpp"
#include "ops/core/registry.hpp"
#include "support/text.hpp"

namespace chop::compile::steps::chains {
namespace {

class ChainFinder {
 public:
  explicit ChainFinder(State& state)
      : state_(state),
        graph_(state.graph),
        types_(*state.types),
        found_(state.schedule),
        observed_(state.observed()),
        readers_(readers_of(state.graph)) {}

  void run() {
    found_.exact = std::any_of(graph_.order().begin(), graph_.order().end(),
                               [&](NodeId id) { return makes_steps(id); });
    for (const NodeId id : graph_.order())
      if (is_head(id)) follow(id);
    for (const NodeId id : graph_.order())
      if (!taken_.contains(id) && can_head_epilogue(state_, id) && is_alone(id)) follow(id);
    for (const auto& [reader, text] : notes_)
      if (!taken_.contains(reader)) state_.remarks.push_back({"chains", text});
  }

 private:
  /// Whether the least difference in the operand can be a whole step in the result: a number
  /// format, a rounding, a cast from real to whole numbers.
  bool makes_steps(NodeId id) const {
    if (!is_call(graph_, id)) return false;
    const Node& node = graph_.node(id);
    const Trait traits = op_of(node).traits;
    if (has(traits, Trait::Surrogate)) return true;
    if (!has(traits, Trait::Elementwise) || node.inputs.empty()) return false;
    const DType to = types_[index(id)][0].dtype;
    if (!is_floating(type_of(types_, node.inputs[0]).dtype) || to == DType::Bool) return false;
    return !is_floating(to) || has(traits, Trait::NoGradient);
  }

  bool is_head(NodeId id) const {
    const std::vector<Value>& inputs = graph_.node(id).inputs;
    const bool reads_bytes = !inputs.empty() && found_.codes.contains(inputs[0]);
    return (reads_bytes && may_head(graph_, id)) || can_head(state_, id, DType::F32);
  }

  /// Nothing but its first result is read.
  bool is_alone(NodeId id) const {
    for (std::uint32_t k = 1; k < types_[index(id)].size(); ++k)
      if (readers_.contains({id, k}) || observed_.contains({id, k})) return false;
    return true;
  }

  std::size_t operand_of(Value value, NodeId reader) const {
    const std::vector<Value>& inputs = graph_.node(reader).inputs;
    return static_cast<std::size_t>(std::find(inputs.begin(), inputs.end(), value) -
                                    inputs.begin());
  }

  /// Why `next`, a reader of `value`, cannot finish it: empty when it can. Nothing when the call
  /// is no epilogue, where every chain ends.
  std::optional<std::string> obstacle(Value value, NodeId next) const {
    const Node& node = graph_.node(next);
    if (!is_call(graph_, next) || is_constant(state_, next)) return std::nullopt;
    const std::size_t from = operand_of(value, next);
    std::vector<TensorType> in;
    const Epilogue epilogue = epilogue_of(describe_call(graph_, types_, next, in), from);
    if (epilogue.empty()) return std::nullopt;
    if (taken_.contains(next)) return "it is part of another chain";
    if (std::count(node.inputs.begin(), node.inputs.end(), value) != 1)
      return "it reads the value twice";
    if (types_[index(next)][0].shape != type_of(types_, value).shape)
      return "its result has another shape";
    if (!is_alone(next)) return "more than its first result is read";
    const bool adds = epilogue[0].kind == EpilogueKind::Add;
    for (std::size_t i = 0; i < node.inputs.size(); ++i)
      if (i != from && is_constant(state_, node.inputs[i].node) == adds)
        return cat("its operand '", graph_.node(node.inputs[i].node).name, "' is ",
                   adds ? "a constant" : "not a constant");
    return "";
  }

  void follow(NodeId head) {
    Chain chain{.head = head};
    chain.at = head;
    Value value{head};
    bool tapped = false;
    while (!found_.codes.contains(value)) {
      const auto found = readers_.find(value);
      if (found == readers_.end()) break;
      const std::vector<NodeId>& readers = found->second;
      const bool kept = observed_.contains(value) || readers.size() > 1;
      const auto next = std::find_if(readers.begin(), readers.end(), [&](NodeId reader) {
        return obstacle(value, reader) == "" && (!kept || found_.codes.contains(Value{reader}));
      });
      if (next == readers.end()) {
        if (may_head(graph_, head))
          for (const NodeId reader : readers) note(head, value, reader);
        break;
      }
      if (!kept) found_.inside.insert(value);
      tapped = tapped || kept;
      chain.epilogue.push_back(*next);
      taken_.insert(*next);
      if (!tapped) chain.at = *next;
      value = Value{*next};
    }
    // Alone it is an ordinary call, unless it reads bytes or images.
    const bool is_plain = !found_.codes.contains(graph_.node(head).inputs[0]) &&
                          types_[index(head)][0].shape.size() < 3;
    if (chain.epilogue.empty() && (is_plain || !may_head(graph_, head))) return;
    if (!may_head(graph_, head)) taken_.insert(head);
    found_.chains.push_back(std::move(chain));
  }

  /// Notes why `reader` does not finish `value`, where the chain of `head` ends.
  void note(NodeId head, Value value, NodeId reader) {
    std::optional<std::string> why = obstacle(value, reader);
    if (!why) return;
    const auto name = [&](NodeId id) { return cat("'", graph_.node(id).name, "'"); };
    if (why->empty()) why = cat("the result of ", name(value.node), " is needed elsewhere too");
    notes_.try_emplace(reader,
                       cat("the chain of ", name(head), " ends before ", name(reader), ": ", *why));
  }

  State& state_;
  const Graph& graph_;
  const Types& types_;
  Schedule& found_;
  std::set<Value> observed_;
  Readers readers_;
  std::set<NodeId> taken_;
  std::map<NodeId, std::string> notes_;  ///< by the call that a chain stopped at
};

Status run(State& state) {
  ChainFinder(state).run();
  return {};
}

}  // namespace

StepDef define() {
  return {.name = "chains",
          .doc = "group convolutions and products with the calls that finish their results",
          .after = "codes",
          .applies = when_frozen,
          .needs_types = true,
          .run = run};
}

}  // namespace chop::compile::steps::chains
