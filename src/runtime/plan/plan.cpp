#include "runtime/plan/plan.hpp"

#include <algorithm>
#include <cassert>
#include <chrono>
#include <set>

#include "ops/core/registry.hpp"
#include "runtime/plan/fuse.hpp"
#include "runtime/plan/planner.hpp"
#include "runtime/plan/slices.hpp"

namespace chop::runtime {
Result<Plan> Plan::compile(const Graph& lowered, std::int64_t batch,
                           const CompileOptions& options) {
  Graph graph = lowered;
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
  std::set<Value> seen(outputs.begin(), outputs.end());
  for (const auto& [value, memory] : options.placed) seen.insert(value);
  const bool fast = options.fuse && !options.reference_only;
  if (fast) fuse(graph, seen);
  graph.set_outputs(outputs);
  CH_TRY(Types types, infer_types(graph, batch));
  assert((!options.frozen || options.placed.empty()) && "gradients have parameters that change");
  if (fast && options.frozen) {
    const std::int64_t rows = rows_at_once(graph, types, batch, seen, options);
    CH_TRY(Arranged arranged, arrange(graph, rows, seen));
    if (auto plan = Planner(std::move(arranged), options, batch == rows ? 1 : batch / rows).run())
      return *std::move(plan);
  }
  return Planner({std::move(graph), std::move(types), {}}, options).run().value();
}

void Plan::run(RunState state) {
  run(state, [](std::size_t /*step*/) {});
}

void Plan::move_to(std::size_t slice) {
  for (const Moving& moving : moving_) {
    std::byte* const memory = moving.start + slice * moving.stride;
    KernelArgs& args = steps_[moving.step].args;
    if (moving.is_result)
      args.out[moving.operand] = memory;
    else
      args.in[moving.operand] = memory;
  }
}

std::vector<double> Plan::run_timed(RunState state) {
  using Clock = std::chrono::steady_clock;
  std::vector<double> seconds(steps_.size(), 0.0);
  std::size_t running = steps_.size();
  Clock::time_point since;
  const auto begin = [&](std::size_t step) {
    const Clock::time_point now = Clock::now();
    if (running < steps_.size())
      seconds[running] += std::chrono::duration<double>(now - since).count();
    running = step;
    since = now;
  };
  run(state, begin);
  begin(steps_.size());
  return seconds;
}

const Plan::Slot* Plan::find_input(std::string_view name) const {
  const auto found = inputs_.find(name);
  return found == inputs_.end() ? nullptr : &found->second;
}

std::vector<StepContents> Plan::contents() const {
  std::vector<StepContents> all;
  all.reserve(steps_.size());
  for (const Step& step : steps_) all.push_back(step.contents);
  return all;
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

}  // namespace chop::runtime
