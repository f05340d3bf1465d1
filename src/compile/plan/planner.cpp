// From schedule to plan, in six sweeps over the graph:
//
//   find_placed, place_constants   results that have memory already: gradients, buffers, constants
//   number_steps                   which call is a step, and who reads what last
//   find_roots                     views and results written over an operand that dies: one root
//   find_live_ranges               of every root; assign_offsets packs them into one block
//   assemble                       kernels, with the addresses of their operands
//   find_meetings                  where threads meet that run all steps together
//
// conv -> batch norm -> relu -> quantise, found to be one chain: one step, named after the quantise
// and run when the convolution would run. The convolution, the norm and the relu have no live
// range, because they never reach memory; the bytes of the quantise live until their last reader.
#include "compile/plan/planner.hpp"

#include "compile/call_facts.hpp"
#include "ops/core/registry.hpp"
#include "support/system/big_memory.hpp"
#include "support/text.hpp"

namespace chop::compile {

Planner::Planner(const State& state)
    : state_(state),
      graph_(state.graph),
      schedule_(state.schedule),
      slices_(state.schedule.slices),
      types_(*state.types) {
  for (const Chain& chain : schedule_.chains) {
    chain_of_[chain.head] = &chain;
    for (const NodeId id : chain.epilogue) chain_of_[id] = &chain;
  }
  for (const auto& [value, dtype] : schedule_.codes)
    types_[index(value.node)][value.index].dtype = dtype;
  if (!state.target.reference_only) find_repeats();
}

void Planner::find_repeats() {
  for (const NodeId id : graph_.order()) {
    const Node& node = graph_.node(id);
    if (node.opcode != Opcode::CallFunction || !has(op_of(node).traits, Trait::Surrogate) ||
        chain_of_.contains(id) || schedule_.constants.contains(id))
      continue;
    const TensorType& in = type_of(types_, node.inputs[0]);
    if (in.dtype == DType::F32 && in == types_[index(id)][0] && repeats_grid(graph_, types_, id))
      repeats_.insert(id);
  }
}

Result<std::optional<Plan>> Planner::run() {
  find_parameters();
  find_placed();
  place_constants();
  number_steps();
  find_roots();
  find_live_ranges();
  parts_.memory_bytes = assign_offsets(live_ranges_);
  CH_CHECK(check_memory());
  assemble();
  if (!refused_.empty()) return std::optional<Plan>();
  return std::optional<Plan>(std::move(parts_));
}

/// A quantiser of values that are on its grid already copies them, so it is a view as well.
bool Planner::is_view(NodeId id) const {
  const Node& node = graph_.node(id);
  if (node.opcode != Opcode::CallFunction || schedule_.conversions.contains(id)) return false;
  if (has(op_of(node).traits, Trait::View)) return !is_training(node);
  return repeats_.contains(id);
}

bool Planner::is_step(NodeId id) const {
  if (graph_.node(id).opcode != Opcode::CallFunction || is_view(id)) return false;
  if (schedule_.constants.contains(id)) return false;
  const auto chain = chain_of_.find(id);
  return chain == chain_of_.end() || chain->second->at == id;
}

/// Memory of the caller's, or the graph's own values. Evaluation never writes to parameters, so
/// their bytes are shared with the graph; training gets a copy.
void Planner::find_parameters() {
  if (state_.memory.parameter) {
    for (const NodeId id : graph_.order())
      if (const Node& node = graph_.node(id); node.opcode == Opcode::GetAttr)
        parameters_[node.target] = state_.memory.parameter(node.target);
    return;
  }
  for (const Parameter& parameter : graph_.parameters()) {
    Tensor& own = parts_.parameters.emplace_back(parameter.value);
    parameters_[parameter.name] = state_.target.mode == Mode::Training
                                      ? own.mutable_bytes()
                                      : const_cast<std::byte*>(own.bytes());
  }
}

/// Results that the caller has memory for, and results that replace a buffer: they are written
/// where the buffer lies.
void Planner::find_placed() {
  placed_ = state_.placed;
  for (auto& [value, memory] : placed_)
    if (memory == nullptr) memory = own_memory(type_of(types_, value).bytes());
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
        placed_[{id, update.output}] = parameters_.at(buffer.target);
    }
  }
}

std::byte* Planner::own_memory(std::size_t bytes) {
  parts_.constants.push_back(allocate_together(bytes));
  return parts_.constants.back().get();
}

void Planner::place_constants() {
  for (const NodeId id : schedule_.constants)
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
      schedule_.conversions.contains(id))
    return false;
  return in_arena(base) && graph_.node(base.node).opcode != Opcode::Placeholder && in_arena({id}) &&
         types_[index(id)].size() == 1 && type_of(types_, in) == types_[index(id)][0] &&
         last_use(base) <= step_of_[index(id)];
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
    shared_last_[base] = std::max(last_use(base), read_until(out));
  }
}

std::size_t Planner::read_until(Value value) const {
  const auto found = last_read_.find(value);
  return found == last_read_.end() ? step_of_[index(value.node)] : found->second;
}

std::size_t Planner::last_use(Value base) const {
  const auto shared = shared_last_.find(base);
  return std::max(read_until(base), shared == shared_last_.end() ? 0 : shared->second);
}

void Planner::find_live_ranges() {
  for (const NodeId id : graph_.order())
    for (std::uint32_t k = 0; k < types_[index(id)].size(); ++k) {
      const Value value{id, k};
      if (root(value) != value || !in_arena(value) || !wanted(value)) continue;
      LiveRange life{.bytes = types_[index(id)][k].bytes(),
                     .first = step_of_[index(id)],
                     .last = last_use(value)};
      if (graph_.node(id).opcode == Opcode::Placeholder) life = {life.bytes, 0, steps_};
      if (slices_ > 1 && is_whole(value))
        life = {life.bytes * static_cast<std::size_t>(slices_), 0, steps_};
      slot_[value] = live_ranges_.size();
      live_ranges_.push_back(life);
    }
}

/// Shapes are what a file or the command line says, and may be of any size.
Status Planner::check_memory() const {
  if (parts_.memory_bytes <= memory_limit()) return {};
  const auto largest = std::max_element(slot_.begin(), slot_.end(), [&](auto& a, auto& b) {
    return live_ranges_[a.second].bytes < live_ranges_[b.second].bytes;
  });
  const TensorType type = whole_type(largest->first);
  return Error{
      .what = cat("the values of '", graph_.name(), "' take ", human_bytes(parts_.memory_bytes),
                  " for a batch of ", with_commas(state_.target.batch), ", and there are ",
                  human_bytes(memory_limit()), " of memory"),
      .notes = {cat("the largest is '", graph_.node(largest->first.node).name, "', ",
                    name_of(type.dtype), to_string(type.shape))},
      .hint = "try a smaller batch"};
}

bool Planner::wanted(Value value) const {
  if (schedule_.inside.contains(value)) return false;
  return last_read_.contains(value) || shared_last_.contains(value) ||
         graph_.node(value.node).opcode == Opcode::Placeholder;
}

std::byte* Planner::memory_of(Value value) const {
  if (const auto found = placed_.find(value); found != placed_.end()) return found->second;
  const Value base = root(value);
  if (const auto found = placed_.find(base); found != placed_.end()) return found->second;
  const Node& node = graph_.node(base.node);
  if (node.opcode == Opcode::GetAttr) return parameters_.at(node.target);
  const auto slot = slot_.find(base);
  return slot == slot_.end() ? nullptr : parts_.memory.get() + live_ranges_[slot->second].offset;
}

void Planner::assemble() {
  parts_.memory = allocate_together(parts_.memory_bytes);
  parts_.threads = state_.target.threads;
  if (state_.target.reference_only || std::ranges::any_of(graph_.order(), [&](NodeId id) {
        return makes_denormals(graph_, types_, id);
      }))
    parts_.denormals = Denormals::Kept;
  const DenormalScope scope(parts_.denormals);
  for (const NodeId id : graph_.order()) {
    const Node& node = graph_.node(id);
    if (node.opcode == Opcode::Placeholder)
      parts_.inputs[node.name] = {whole_type({id}), memory_of({id})};
    if (node.opcode == Opcode::Output)
      for (const Value& value : node.inputs)
        parts_.outputs.push_back({whole_type(value), memory_of(value)});
    if (schedule_.constants.contains(id) && !is_view(id)) {
      const Plan::Step step = make_step(id);
      if (step.check && !parts_.fault)
        if (Status status = step.check(step.args); !status)
          parts_.fault = std::move(status).error();
      if (parts_.fault) continue;
      step.kernel(step.args, {.threads = state_.target.threads});
    }
    if (is_step(id)) {
      if (const auto chain = chain_of_.find(id); chain != chain_of_.end())
        add_chain(*chain->second);
      else
        parts_.steps.push_back(schedule_.conversions.contains(id) ? make_conversion(id)
                                                                  : make_step(id));
    }
    if (is_view(id) && placed_.contains({id})) add_copy(id);
  }
  if (slices_ > 1) find_moving();
  find_meetings();
}

}  // namespace chop::compile
