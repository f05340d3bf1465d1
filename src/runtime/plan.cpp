#include "runtime/plan.hpp"

#include <algorithm>
#include <cassert>
#include <chrono>
#include <cstring>
#include <new>
#include <set>

#include "ops/registry.hpp"
#include "runtime/fuse.hpp"
#include "runtime/memory.hpp"

namespace chop {
namespace {

constexpr std::align_val_t kAlignment{64};

std::shared_ptr<std::byte[]> allocate_zeroed(std::size_t bytes) {
  const std::size_t size = std::max<std::size_t>(bytes, 64);
  auto* memory = static_cast<std::byte*>(::operator new(size, kAlignment));
  std::memset(memory, 0, size);
  return {memory, [](std::byte* p) { ::operator delete(p, kAlignment); }};
}

}  // namespace

/// Turns a graph into steps. A value's *root* is the value whose bytes it shares: itself,
/// unless it is a view of its input or overwrites an operand that dies with it.
class Planner {
 public:
  Planner(Graph graph, Types types, const CompileOptions& options)
      : graph_(std::move(graph)), types_(std::move(types)), options_(options) {}

  Plan run() {
    find_buffer_updates();
    number_steps();
    find_roots();
    find_lifetimes();
    return assemble();
  }

 private:
  bool is_step(NodeId id) const {
    const Node& node = graph_.node(id);
    if (node.opcode != Opcode::CallFunction) return false;
    return !is_view(node);
  }
  static bool is_view(const Node& node) {
    if (node.opcode != Opcode::CallFunction || !has(op_of(node).traits, Trait::View)) return false;
    const auto training = node.attrs.find("training");
    return training == node.attrs.end() || !std::get<bool>(training->second);
  }

  /// Results that replace a buffer are written where the buffer lies.
  void find_buffer_updates() {
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

  void number_steps() {
    step_of_.assign(graph_.id_limit(), 0);
    for (const NodeId id : graph_.order()) {
      step_of_[index(id)] = steps_;
      if (is_step(id)) ++steps_;
    }
    last_read_.clear();
    for (const NodeId id : graph_.order())
      for (const Value& input : graph_.node(id).inputs)
        last_read_[input] = graph_.node(id).opcode == Opcode::Output ? steps_ : step_of_[index(id)];
  }

  bool in_arena(Value value) const {
    const Opcode opcode = graph_.node(value.node).opcode;
    return opcode != Opcode::GetAttr && !placed_.contains(value);
  }

  Value root(Value value) const {
    const auto found = root_.find(value);
    return found == root_.end() ? value : found->second;
  }

  void find_roots() {
    std::map<Value, std::size_t> life;  // last step that reads any value on that root
    for (const auto& [value, last] : last_read_) life[value] = last;
    for (const NodeId id : graph_.order()) {
      const Node& node = graph_.node(id);
      if (node.opcode != Opcode::CallFunction || node.inputs.empty()) continue;
      const Value out{id};
      const Value in = node.inputs[0];
      const Value base = root(in);
      bool share = is_view(node);
      if (!share && has(op_of(node).traits, Trait::Elementwise) && in_arena(base) &&
          graph_.node(base.node).opcode != Opcode::Placeholder && in_arena(out) &&
          types_[index(id)].size() == 1 && type_of(types_, in) == types_[index(id)][0])
        share = last_life(base) <= step_of_[index(id)];
      if (!share || placed_.contains(out)) continue;
      root_[out] = base;
      shared_last_[base] = std::max(last_life(base), read_until(out));
    }
  }

  std::size_t read_until(Value value) const {
    const auto found = last_read_.find(value);
    return found == last_read_.end() ? step_of_[index(value.node)] : found->second;
  }
  std::size_t last_life(Value base) const {
    const auto shared = shared_last_.find(base);
    return std::max(read_until(base), shared == shared_last_.end() ? 0 : shared->second);
  }

  void find_lifetimes() {
    for (const NodeId id : graph_.order())
      for (std::uint32_t k = 0; k < types_[index(id)].size(); ++k) {
        const Value value{id, k};
        if (root(value) != value || !in_arena(value) || !wanted(value)) continue;
        Lifetime life{.bytes = types_[index(id)][k].bytes(),
                      .first = step_of_[index(id)],
                      .last = last_life(value)};
        if (graph_.node(id).opcode == Opcode::Placeholder) life = {life.bytes, 0, steps_};
        slot_[value] = lifetimes_.size();
        lifetimes_.push_back(life);
      }
  }

  bool wanted(Value value) const {
    return last_read_.contains(value) || shared_last_.contains(value) ||
           graph_.node(value.node).opcode == Opcode::Placeholder;
  }

  std::byte* memory_of(Value value) const {
    if (const auto found = placed_.find(value); found != placed_.end()) return found->second;
    const Value base = root(value);
    if (const auto found = placed_.find(base); found != placed_.end()) return found->second;
    const Node& node = graph_.node(base.node);
    if (node.opcode == Opcode::GetAttr) return options_.parameter(node.target);
    const auto slot = slot_.find(base);
    return slot == slot_.end() ? nullptr : plan_.memory_.get() + lifetimes_[slot->second].offset;
  }

  Plan assemble() {
    plan_.memory_bytes_ = assign_offsets(lifetimes_);
    plan_.memory_ = allocate_zeroed(plan_.memory_bytes_);
    plan_.threads_ = options_.threads;
    for (const NodeId id : graph_.order()) {
      const Node& node = graph_.node(id);
      if (node.opcode == Opcode::Placeholder)
        plan_.inputs_[node.name] = {types_[index(id)][0], memory_of({id})};
      if (node.opcode == Opcode::Output)
        for (const Value& value : node.inputs)
          plan_.outputs_.push_back({type_of(types_, value), memory_of(value)});
      if (is_step(id)) add_step(id);
      if (is_view(node) && placed_.contains({id})) add_copy(id);
    }
    return std::move(plan_);
  }

  void add_step(NodeId id) {
    const Node& node = graph_.node(id);
    Plan::Step step{node.name, node.op, {}, {}, true};
    std::vector<TensorType> in;
    for (const Value& input : node.inputs) {
      in.push_back(type_of(types_, input));
      step.args.in.push_back(memory_of(input));
    }
    std::vector<bool> used;
    for (std::uint32_t k = 0; k < types_[index(id)].size(); ++k) {
      const Value value{id, k};
      used.push_back(placed_.contains(value) || wanted(value));
      step.args.out.push_back(used.back() ? memory_of(value) : nullptr);
    }
    const KernelCall call{{{{op_of(node), node.attrs}, in}, types_[index(id)]}, node.name, used};
    if (!options_.reference_only) step.kernel = fast_kernel(call);
    step.fast = static_cast<bool>(step.kernel);
    if (!step.fast) step.kernel = reference_kernel(call);
    plan_.steps_.push_back(std::move(step));
  }

  /// A view whose result the caller placed elsewhere has to be copied there.
  void add_copy(NodeId id) {
    const std::size_t bytes = types_[index(id)][0].bytes();
    const Node& node = graph_.node(id);
    plan_.steps_.push_back({node.name,
                            node.op,
                            [bytes](const KernelArgs& args, const RunContext& /*context*/) {
                              std::memcpy(args.out[0], args.in[0], bytes);
                            },
                            {{memory_of(node.inputs[0])}, {placed_.at({id})}},
                            true});
  }

  Graph graph_;
  Types types_;
  const CompileOptions& options_;
  Plan plan_;
  std::size_t steps_ = 0;
  std::vector<std::size_t> step_of_;
  std::map<Value, std::size_t> last_read_;
  std::map<Value, std::size_t> shared_last_;
  std::map<Value, Value> root_;
  std::map<Value, std::byte*> placed_;
  std::map<Value, std::size_t> slot_;
  std::vector<Lifetime> lifetimes_;
};

Result<Plan> Plan::compile(const Graph& lowered, std::int64_t batch,
                           const CompileOptions& options) {
  Graph graph = lowered;
  CompileOptions adjusted = options;
  // Placed values count as outputs while dead nodes are dropped.
  const std::vector<Value> outputs = graph.outputs();
  std::vector<Value> kept = outputs;
  for (const auto& [value, memory] : options.placed) kept.push_back(value);
  for (const NodeId id : graph.order())
    if (graph.node(id).opcode == Opcode::CallFunction)
      for (const StateUpdate& update : op_of(graph.node(id)).updates)
        if (graph.node(id).attrs.contains("training")) kept.push_back({id, update.output});
  std::erase_if(kept, [&](const Value& value) { return graph.node(value.node).name.empty(); });
  graph.set_outputs(kept);
  graph.drop_unused();
  if (options.fuse && !options.reference_only) {
    std::set<Value> seen(outputs.begin(), outputs.end());
    for (const auto& [value, memory] : options.placed) seen.insert(value);
    fuse(graph, seen);
  }
  graph.set_outputs(outputs);
  CH_TRY(Types types, infer_types(graph, batch));
  return Planner(std::move(graph), std::move(types), adjusted).run();
}

void Plan::run(RunState state) {
  const RunContext context{state, threads_};
  for (const Step& step : steps_) step.kernel(step.args, context);
}

std::vector<double> Plan::run_timed(RunState state) {
  using Clock = std::chrono::steady_clock;
  const RunContext context{state, threads_};
  std::vector<double> seconds;
  seconds.reserve(steps_.size());
  for (const Step& step : steps_) {
    const Clock::time_point start = Clock::now();
    step.kernel(step.args, context);
    seconds.push_back(std::chrono::duration<double>(Clock::now() - start).count());
  }
  return seconds;
}

const Plan::Slot* Plan::find_input(std::string_view name) const {
  const auto found = inputs_.find(name);
  return found == inputs_.end() ? nullptr : &found->second;
}

std::vector<std::string> Plan::describe() const {
  std::vector<std::string> lines;
  lines.reserve(steps_.size());
  for (const Step& step : steps_) lines.push_back(step.describe());
  return lines;
}

std::vector<std::string> Plan::reference_steps() const {
  std::vector<std::string> lines;
  for (const Step& step : steps_)
    if (!step.fast) lines.push_back(step.describe());
  return lines;
}

}  // namespace chop
