#include <algorithm>

#include "ops/core/registry.hpp"
#include "runtime/conv/frozen/apply_epilogue.hpp"
#include "runtime/onednn.hpp"
#include "runtime/plan/arrangement.hpp"
#include "runtime/plan/call_facts.hpp"

namespace chop::runtime {
namespace {

double largest_code(const Grid& grid) {
  return std::max(-static_cast<double>(grid.low), static_cast<double>(grid.high));
}

/// Finds constants, bytes and chains; the graph stays as it is.
class ChainFinder {
 public:
  ChainFinder(const Graph& graph, const Types& types, const std::set<Value>& seen)
      : graph_(graph), types_(types), seen_(seen) {}

  Arrangement run() {
    find_readers();
    find_constants();
    find_codes();
    found_.exact = std::any_of(graph_.order().begin(), graph_.order().end(), [&](NodeId id) {
      return is_call(graph_, id) && has(op_of(graph_.node(id)).traits, Trait::Surrogate);
    });
    for (const NodeId id : graph_.order())
      if (heads_.contains(id)) follow(id);
    return std::move(found_);
  }

 private:
  void find_readers() {
    for (const NodeId id : graph_.order())
      for (const Value& input : graph_.node(id).inputs) readers_[input].push_back(id);
  }

  bool is_constant(NodeId id) const {
    return graph_.node(id).opcode == Opcode::GetAttr || found_.constants.contains(id);
  }

  void find_constants() {
    for (const NodeId id : graph_.order()) {
      const Node& node = graph_.node(id);
      if (!is_call(graph_, id) || node.inputs.empty()) continue;
      if (has(op_of(node).traits, Trait::Random) && !grid_of(graph_, types_, {id})) continue;
      if (std::all_of(node.inputs.begin(), node.inputs.end(),
                      [&](const Value& input) { return is_constant(input.node); }))
        found_.constants.insert(id);
    }
  }

  /// Whether a call with this type of operand 0 can head a chain; its other operands are constant.
  bool can_head(NodeId id, DType source) const {
    const Node& node = graph_.node(id);
    if (!is_call(graph_, id) || is_constant(id) || node.inputs.empty()) return false;
    if (types_[index(id)].size() != 1 || is_constant(node.inputs[0].node)) return false;
    if (!std::all_of(node.inputs.begin() + 1, node.inputs.end(),
                     [&](const Value& input) { return is_constant(input.node); }))
      return false;
    std::vector<TensorType> in;
    KernelCall call = describe_call(graph_, types_, id, in);
    in[0].dtype = source;
    for (const KernelDef* def : kernels_of(call.op))
      if (def->heads_chain != nullptr && def->heads_chain(call)) return true;
    return false;
  }

  /// Operands 0 and 1 lie on grids of bytes, so that their products are whole numbers.
  std::optional<Grid> byte_operand(NodeId id) const {
    const Node& node = graph_.node(id);
    if (!is_call(graph_, id) || node.inputs.size() < 2) return {};
    const auto x = grid_of(graph_, types_, node.inputs[0]);
    const auto w = grid_of(graph_, types_, node.inputs[1]);
    if (!x || !w || !fits_byte(*x) || !fits_byte(*w) || w->high > 127) return {};
    // A bias between the steps of the grid would be added to a rounded sum, or rounded with it.
    for (std::size_t i = 2; i < node.inputs.size(); ++i)
      if (!grid_of(graph_, types_, node.inputs[i])) return {};
    const Shape& weight = type_of(types_, node.inputs[1]).shape;
    const double products = static_cast<double>(numel(weight)) /
                            static_cast<double>(std::max<std::int64_t>(1, weight[0]));
    if (products * largest_code(*x) * largest_code(*w) >= 0x1p31) return {};
    const float unscale = x->step * w->step;
    return unscale > 0x1p-100F && unscale < 0x1p100F ? x : std::nullopt;
  }

  bool reads_bytes(NodeId id, Value value) const {
    return graph_.node(id).inputs[0] == value && byte_operand(id) && can_head(id, DType::I8);
  }

  /// The values that would all have to be bytes for `value` to be: picked from each other, the last
  /// one put on its grid. None if somebody reads one of them in float.
  std::vector<Value> byte_line(Value value) const {
    std::vector<Value> line;
    for (NodeId picker = value.node;; picker = value.node) {
      const std::vector<NodeId>& readers = readers_.at(value);
      const bool as_bytes = std::all_of(readers.begin(), readers.end(), [&](NodeId reader) {
        return (!line.empty() && reader == line.back().node) || reads_bytes(reader, value);
      });
      if (!as_bytes || seen_.contains(value) || is_constant(value.node)) return {};
      line.push_back(value);
      if (!picks(graph_, types_, picker)) return line;
      if (type_of(types_, value).shape.size() < 3) return {};  // bytes are picked from images
      value = graph_.node(picker).inputs[0];
    }
  }

  void find_codes() {
    std::set<Value> candidates;
    const bool exact = has_exact_bytes();
    for (const NodeId id : graph_.order())
      if (exact && byte_operand(id) && can_head(id, DType::I8))
        candidates.insert(graph_.node(id).inputs[0]);
    for (const Value& value : candidates)
      for (const Value& part : byte_line(value))
        found_.coded[part] = is_never_negative(value) ? DType::U8 : DType::I8;
    for (const NodeId id : graph_.order()) {
      const std::vector<Value>& inputs = graph_.node(id).inputs;
      const bool bytes =
          !inputs.empty() && found_.coded.contains(inputs[0]) && may_head(graph_, id);
      if (bytes || can_head(id, DType::F32)) heads_.insert(id);
    }
  }

  bool is_never_negative(Value value) const {
    const Node& node = graph_.node(value.node);
    if (node.opcode != Opcode::CallFunction || value.index != 0) return false;
    std::vector<TensorType> in;
    const KernelCall call = describe_call(graph_, types_, value.node, in);
    const Epilogue epilogue = epilogue_of(call, 0);
    if (!epilogue.empty() && epilogue.back().kind == EpilogueKind::Clamp)
      return epilogue.back().low >= 0;
    if (!epilogue.empty() && epilogue.back().kind == EpilogueKind::Quantise)
      return epilogue.back().grid.low >= 0 || is_never_negative(node.inputs[0]);
    return keeps_range(graph_, types_, value.node) && is_never_negative(node.inputs[0]);
  }

  /// Whether `next`, a reader of `value`, can go on with it.
  bool can_follow(Value value, NodeId next) const {
    const Node& node = graph_.node(next);
    if (!is_call(graph_, next) || is_constant(next) || taken_.contains(next)) return false;
    const auto count = std::count(node.inputs.begin(), node.inputs.end(), value);
    if (count != 1 || types_[index(next)][0].shape != type_of(types_, value).shape) return false;
    for (std::uint32_t k = 1; k < types_[index(next)].size(); ++k)
      if (readers_.contains({next, k}) || seen_.contains({next, k})) return false;
    const std::size_t from = operand_of(value, next);
    std::vector<TensorType> in;
    const Epilogue epilogue = epilogue_of(describe_call(graph_, types_, next, in), from);
    if (epilogue.empty()) return false;
    const bool adds = epilogue[0].kind == EpilogueKind::Add;
    for (std::size_t i = 0; i < node.inputs.size(); ++i)
      if (i != from && is_constant(node.inputs[i].node) == adds) return false;
    return true;
  }
  std::size_t operand_of(Value value, NodeId reader) const {
    const std::vector<Value>& inputs = graph_.node(reader).inputs;
    return static_cast<std::size_t>(std::find(inputs.begin(), inputs.end(), value) -
                                    inputs.begin());
  }

  void follow(NodeId head) {
    Chain chain{.head = head};
    chain.at = head;
    Value value{head};
    bool tapped = false;
    while (!found_.coded.contains(value)) {
      const auto found = readers_.find(value);
      if (found == readers_.end()) break;
      const std::vector<NodeId>& readers = found->second;
      const bool kept = seen_.contains(value) || readers.size() > 1;
      // Behind a value that is kept only bytes follow: they need nothing else.
      const auto next = std::find_if(readers.begin(), readers.end(), [&](NodeId reader) {
        return can_follow(value, reader) && (!kept || found_.coded.contains(Value{reader}));
      });
      if (next == readers.end()) break;
      if (!kept) found_.inside.insert(value);
      tapped = tapped || kept;
      chain.tail.push_back(*next);
      taken_.insert(*next);
      if (!tapped) chain.at = *next;
      value = Value{*next};
    }
    found_.chains.push_back(std::move(chain));
  }

  const Graph& graph_;
  const Types& types_;
  const std::set<Value>& seen_;
  std::map<Value, std::vector<NodeId>> readers_;
  std::set<NodeId> heads_;
  std::set<NodeId> taken_;
  Arrangement found_;
};

}  // namespace

Arrangement find_chains(const Graph& graph, const Types& types, const std::set<Value>& seen) {
  return ChainFinder(graph, types, seen).run();
}

bool quantise_early(Graph& graph, const Types& types, const std::set<Value>& seen) {
  if (!has_exact_bytes()) return false;
  std::map<Value, std::vector<NodeId>> readers;
  for (const NodeId id : graph.order())
    for (const Value& input : graph.node(id).inputs) readers[input].push_back(id);
  const std::vector<NodeId> order(graph.order().begin(), graph.order().end());
  bool changed = false;
  for (const NodeId late : order) {
    if (!is_call(graph, late) || picks(graph, types, late)) continue;
    const std::optional<Grid> grid = grid_of(graph, types, {late});
    if (!grid || !fits_byte(*grid) || seen.contains({late})) continue;
    const Value picked = graph.node(late).inputs[0];
    if (!picks(graph, types, picked.node) || picked.index != 0) continue;
    if (seen.contains(picked) || readers[picked].size() != 1) continue;
    // Which zero is picked, 0 or -0, is lost on those who make sums.
    const std::vector<NodeId>& users = readers[{late}];
    if (!std::all_of(users.begin(), users.end(), [&](NodeId id) { return may_head(graph, id); }))
      continue;
    Node early = graph.node(late);
    early.inputs = graph.node(picked.node).inputs;
    graph.replace_uses({late}, picked);
    graph.erase(late);  // first, so that its name is free
    const NodeId made = graph.insert_before(picked.node, std::move(early));
    graph.node(picked.node).inputs = {{made}};
    changed = true;
  }
  return changed;
}

}  // namespace chop::runtime
