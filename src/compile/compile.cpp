// Runs the steps of compile/defs in the order their `after` gives. A chain that no backend can make
// is noticed by the last step; all steps then run again without it.
#include "compile/compile.hpp"

#include <chrono>

#include "support/system/log.hpp"
#include "support/text.hpp"

#include "compile_steps.inc"

namespace chop::compile {
namespace {

using Clock = std::chrono::steady_clock;

#ifdef CH_VERIFY_STEPS
constexpr bool kVerifyAlways = true;
#else
constexpr bool kVerifyAlways = false;
#endif

/// Files come in the order of their names; each says which one it follows.
std::vector<StepDef> in_order(const std::vector<StepDef>& defs) {
  std::vector<StepDef> ordered;
  std::string_view last;
  while (ordered.size() < defs.size()) {
    const auto next = std::find_if(defs.begin(), defs.end(),
                                   [&](const StepDef& def) { return def.after == last; });
    assert(next != defs.end() && "every step follows another, and no two the same");
    ordered.push_back(*next);
    last = next->name;
  }
  return ordered;
}

Status run_step(const StepDef& step, State& state) {
  if (step.needs_types && !state.types) {
    CH_TRY(state.types, infer_types(state.graph, state.rows()));
  }
  return step.run(state);
}

Status check_step(const StepDef& step, const State& state) {
  if (!kVerifyAlways && !state.target.verify) return {};
  Status status = verify(state);
  if (!status) return std::move(status).error().note(cat("after the step ", step.name));
  return {};
}

bool applies(const StepDef& step, const Target& target) {
  return step.applies == nullptr || step.applies(target);
}

struct Job {
  const Graph& graph;
  const Target& target;
  const Memory& memory;
  std::string_view last = "plan";
  Trace* trace = nullptr;
};

Result<State> run_once(const Job& job, std::set<NodeId> refused) {
  State state{.target = job.target, .memory = job.memory, .graph = job.graph};
  state.placed = job.memory.placed;
  state.refused = std::move(refused);
  for (const StepDef& step : all_steps()) {
    const bool wanted = applies(step, job.target);
    const Clock::time_point start = Clock::now();
    if (wanted) CH_CHECK(run_step(step, state));
    if (job.trace != nullptr)
      job.trace->steps.push_back(
          {step.name, wanted, std::chrono::duration<double>(Clock::now() - start).count()});
    if (wanted) CH_CHECK(check_step(step, state));
    if (step.name == job.last) break;
  }
  return state;
}

/// A chain that no backend makes is found when the plan is made, after its memory has been laid
/// out. All steps then run again without that chain, so that nothing relies on it.
Result<State> run_all(const Job& job) {
  std::set<NodeId> refused;
  std::vector<Remark> remarks;
  for (;;) {
    if (job.trace != nullptr) job.trace->steps.clear();
    CH_TRY(State state, run_once(job, refused));
    if (state.refused.size() == refused.size()) {
      state.remarks.insert(state.remarks.begin(), remarks.begin(), remarks.end());
      return state;
    }
    for (const Remark& remark : state.remarks)
      if (remark.step == "plan") remarks.push_back(remark);
    refused = std::move(state.refused);
  }
}

}  // namespace

std::span<const StepDef> all_steps() {
  static const std::vector<StepDef> steps = in_order(steps::collected());
  return steps;
}

Result<const StepDef*> find_step(std::string_view name) {
  std::vector<std::string> names;
  for (const StepDef& step : all_steps()) {
    if (step.name == name) return &step;
    names.emplace_back(step.name);
  }
  return Error{.what = cat("the compiler has no step '", name, "'"),
               .hint = cat(did_you_mean(name, names), "the steps are ", join(names, ", "))};
}

Status run_between(State& state, std::string_view first, std::string_view last) {
  bool inside = false;
  for (const StepDef& step : all_steps()) {
    if (inside && applies(step, state.target)) {
      CH_CHECK(run_step(step, state));
      CH_CHECK(check_step(step, state));
    }
    inside = (inside || step.name == first) && step.name != last;
  }
  return {};
}

Result<Compiled> compile_graph(const Graph& graph, const Target& target, const Memory& memory,
                               Trace* trace) {
  CH_TRY(State state,
         run_all({.graph = graph, .target = target, .memory = memory, .trace = trace}));
  log_debug(cat("Compiled ", graph.name(), " for a batch of ", target.batch, ": ",
                state.plan->steps().size(), " steps, ", state.plan->memory_bytes(), " bytes"));
  return Compiled{.plan = *std::move(state.plan),
                  .lowered = std::move(state.lowered),
                  .labels = std::move(state.labels),
                  .remarks = std::move(state.remarks)};
}

Result<State> compile_until(const Graph& graph, const Target& target, const StepDef& last,
                            Trace* trace) {
  const Memory own;
  return run_all(
      {.graph = graph, .target = target, .memory = own, .last = last.name, .trace = trace});
}

}  // namespace chop::compile
