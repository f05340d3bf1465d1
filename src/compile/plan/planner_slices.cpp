// What a plan keeps of the whole batch when it runs slice by slice: the inputs and the outputs.
#include "compile/plan/planner.hpp"

namespace chop::compile {

Planner::Footprint Planner::measure() {
  for (const NodeId id : schedule_.constants)
    for (std::uint32_t k = 0; k < types_[index(id)].size(); ++k) placed_[{id, k}] = nullptr;
  number_steps();
  find_roots();
  find_live_ranges();
  Footprint footprint;
  std::vector<std::size_t> alive(steps_ + 1, 0);
  for (const auto& [value, slot] : slot_) {
    const LiveRange& life = live_ranges_[slot];
    footprint.written += life.bytes;
    if (is_whole(value)) continue;
    for (std::size_t step = life.first; step <= life.last; ++step) alive[step] += life.bytes;
  }
  footprint.alive = *std::max_element(alive.begin(), alive.end());
  return footprint;
}

/// Whether these bytes are the caller's to write or to read.
bool Planner::is_whole(Value base) const {
  if (graph_.node(base.node).opcode == Opcode::Placeholder) return true;
  const std::vector<Value> outputs = graph_.outputs();
  return std::any_of(outputs.begin(), outputs.end(),
                     [&](const Value& output) { return root(output) == base; });
}

TensorType Planner::whole_type(Value value) const {
  TensorType type = type_of(types_, value);
  if (slices_ > 1) type.shape[0] *= slices_;
  return type;
}

/// Inputs and outputs of the whole batch are live during the whole plan, so no other value shares
/// their addresses.
void Planner::find_moving() {
  const auto slices = static_cast<std::size_t>(slices_);
  parts_.slices = slices;
  std::map<const std::byte*, std::size_t> strides;
  for (const auto& [value, slot] : slot_)
    if (is_whole(value) && live_ranges_[slot].bytes > 0)
      strides[memory_of(value)] = live_ranges_[slot].bytes / slices;
  for (std::size_t step = 0; step < parts_.steps.size(); ++step) {
    const KernelArgs& args = parts_.steps[step].args;
    const auto add = [&](bool is_result, std::size_t operand, const std::byte* memory) {
      const auto found = strides.find(memory);
      if (found == strides.end()) return;
      parts_.moving.push_back(
          {step, is_result, operand, const_cast<std::byte*>(memory), found->second});
    };
    for (std::size_t i = 0; i < args.in.size(); ++i) add(false, i, args.in[i]);
    for (std::size_t i = 0; i < args.out.size(); ++i) add(true, i, args.out[i]);
  }
}

}  // namespace chop::compile
