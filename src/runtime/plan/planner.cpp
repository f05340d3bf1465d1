#include "runtime/plan/planner.hpp"

#include <algorithm>

#include "ops/core/registry.hpp"
#include "support/system/big_memory.hpp"

namespace chop::runtime {
Planner::Planner(Arranged arranged, const CompileOptions& options, std::int64_t slices)
    : graph_(std::move(arranged.graph)),
      types_(std::move(arranged.types)),
      arrangement_(std::move(arranged.arrangement)),
      options_(options),
      slices_(slices) {
  for (const Chain& chain : arrangement_.chains) {
    chain_of_[chain.head] = &chain;
    for (const NodeId id : chain.tail) chain_of_[id] = &chain;
  }
  for (const auto& [value, dtype] : arrangement_.coded)
    types_[index(value.node)][value.index].dtype = dtype;
}

std::optional<Plan> Planner::run() {
  find_buffer_updates();
  place_constants();
  number_steps();
  find_roots();
  find_lifetimes();
  if (!assemble()) return {};
  return std::move(plan_);
}

bool Planner::is_view(NodeId id) const {
  const Node& node = graph_.node(id);
  if (node.opcode != Opcode::CallFunction || !has(op_of(node).traits, Trait::View)) return false;
  if (arrangement_.conversions.contains(id)) return false;
  const auto training = node.attrs.find("training");
  return training == node.attrs.end() || !std::get<bool>(training->second);
}

bool Planner::is_step(NodeId id) const {
  if (graph_.node(id).opcode != Opcode::CallFunction || is_view(id)) return false;
  if (arrangement_.constants.contains(id)) return false;
  const auto chain = chain_of_.find(id);
  return chain == chain_of_.end() || chain->second->at == id;
}

/// Results that replace a buffer are written where the buffer lies.
void Planner::find_buffer_updates() {
  placed_ = options_.placed;
  for (const NodeId id : graph_.order()) {
    const Node& node = graph_.node(id);
    if (node.opcode != Opcode::CallFunction) continue;
    const OpDef& op = op_of(node);
    for (const StateUpdate& update : op.updates) {
      if (update.output >= types_[index(id)].size()) continue;
      std::vector<TensorType> in(node.inputs.size());
      const std::int64_t at = TypedCall{{op, node.attrs}, in}.find(update.param);
      if (at < 0) continue;
      const Node& buffer = graph_.node(node.inputs[static_cast<std::size_t>(at)].node);
      if (buffer.opcode == Opcode::GetAttr)
        placed_[{id, update.output}] = options_.parameter(buffer.target);
    }
  }
}

std::byte* Planner::own_memory(std::size_t bytes) {
  plan_.constants_.push_back(allocate_together(bytes));
  return plan_.constants_.back().get();
}

void Planner::place_constants() {
  for (const NodeId id : arrangement_.constants)
    for (std::uint32_t k = 0; k < types_[index(id)].size(); ++k)
      if (!is_view(id) && !placed_.contains({id, k}))
        placed_[{id, k}] = own_memory(types_[index(id)][k].bytes());
}

void Planner::number_steps() {
  step_of_.assign(graph_.id_limit(), 0);
  for (const NodeId id : graph_.order()) {
    step_of_[index(id)] = steps_;
    if (is_step(id)) ++steps_;
  }
  for (const auto& [id, chain] : chain_of_) step_of_[index(id)] = step_of_[index(chain->at)];
  last_read_.clear();
  for (const NodeId id : graph_.order())
    for (const Value& input : graph_.node(id).inputs) {
      std::size_t& last = last_read_[input];
      last =
          std::max(last, graph_.node(id).opcode == Opcode::Output ? steps_ : step_of_[index(id)]);
    }
}

bool Planner::in_arena(Value value) const {
  const Opcode opcode = graph_.node(value.node).opcode;
  return opcode != Opcode::GetAttr && !placed_.contains(value);
}

Value Planner::root(Value value) const {
  const auto found = root_.find(value);
  return found == root_.end() ? value : found->second;
}

/// Whether an elementwise call may write its result over operand 0, which lies on `base`.
bool Planner::may_overwrite(NodeId id, Value in, Value base) const {
  if (!has(op_of(graph_.node(id)).traits, Trait::Elementwise) || chain_of_.contains(id) ||
      arrangement_.conversions.contains(id))
    return false;
  return in_arena(base) && graph_.node(base.node).opcode != Opcode::Placeholder && in_arena({id}) &&
         types_[index(id)].size() == 1 && type_of(types_, in) == types_[index(id)][0] &&
         last_life(base) <= step_of_[index(id)];
}

void Planner::find_roots() {
  for (const NodeId id : graph_.order()) {
    const Node& node = graph_.node(id);
    if (node.opcode != Opcode::CallFunction || node.inputs.empty()) continue;
    const Value out{id};
    const Value in = node.inputs[0];
    const Value base = root(in);
    if ((!is_view(id) && !may_overwrite(id, in, base)) || placed_.contains(out)) continue;
    root_[out] = base;
    shared_last_[base] = std::max(last_life(base), read_until(out));
  }
}

std::size_t Planner::read_until(Value value) const {
  const auto found = last_read_.find(value);
  return found == last_read_.end() ? step_of_[index(value.node)] : found->second;
}

std::size_t Planner::last_life(Value base) const {
  const auto shared = shared_last_.find(base);
  return std::max(read_until(base), shared == shared_last_.end() ? 0 : shared->second);
}

void Planner::find_lifetimes() {
  for (const NodeId id : graph_.order())
    for (std::uint32_t k = 0; k < types_[index(id)].size(); ++k) {
      const Value value{id, k};
      if (root(value) != value || !in_arena(value) || !wanted(value)) continue;
      Lifetime life{.bytes = types_[index(id)][k].bytes(),
                    .first = step_of_[index(id)],
                    .last = last_life(value)};
      if (graph_.node(id).opcode == Opcode::Placeholder) life = {life.bytes, 0, steps_};
      if (slices_ > 1 && is_whole(value))
        life = {life.bytes * static_cast<std::size_t>(slices_), 0, steps_};
      slot_[value] = lifetimes_.size();
      lifetimes_.push_back(life);
    }
}

bool Planner::wanted(Value value) const {
  if (arrangement_.inside.contains(value)) return false;
  return last_read_.contains(value) || shared_last_.contains(value) ||
         graph_.node(value.node).opcode == Opcode::Placeholder;
}

std::byte* Planner::memory_of(Value value) const {
  if (const auto found = placed_.find(value); found != placed_.end()) return found->second;
  const Value base = root(value);
  if (const auto found = placed_.find(base); found != placed_.end()) return found->second;
  const Node& node = graph_.node(base.node);
  if (node.opcode == Opcode::GetAttr) return options_.parameter(node.target);
  const auto slot = slot_.find(base);
  return slot == slot_.end() ? nullptr : plan_.memory_.get() + lifetimes_[slot->second].offset;
}

bool Planner::assemble() {
  plan_.memory_bytes_ = assign_offsets(lifetimes_);
  plan_.memory_ = allocate_together(plan_.memory_bytes_);
  plan_.threads_ = options_.threads;
  for (const NodeId id : graph_.order()) {
    const Node& node = graph_.node(id);
    if (node.opcode == Opcode::Placeholder)
      plan_.inputs_[node.name] = {whole_type({id}), memory_of({id})};
    if (node.opcode == Opcode::Output)
      for (const Value& value : node.inputs)
        plan_.outputs_.push_back({whole_type(value), memory_of(value)});
    if (arrangement_.constants.contains(id) && !is_view(id)) {
      const Plan::Step step = make_step(id);
      step.kernel(step.args, {.threads = options_.threads});
    }
    if (is_step(id)) {
      if (const auto chain = chain_of_.find(id); chain == chain_of_.end())
        plan_.steps_.push_back(arrangement_.conversions.contains(id) ? make_conversion(id)
                                                                     : make_step(id));
      else if (!add_chain(*chain->second))
        return false;
    }
    if (is_view(id) && placed_.contains({id})) add_copy(id);
  }
  if (slices_ > 1) find_moving();
  return true;
}

}  // namespace chop::runtime
