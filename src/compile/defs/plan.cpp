// Chooses a kernel for every call and chain, lays out memory, and puts the steps together
// (compile/plan/planner.hpp). Without a schedule every call is a step.
//
//   conv1: conv2d + batch_norm2d + relu    one step of a chain
//   pool: max_pool2d                       one of a single call
//
// A chain that no backend makes is left out: the compiler says so in a remark and starts again
// without it (compile/compile.cpp).
#include "compile/plan/planner.hpp"
#include "compile/step_def.hpp"

namespace chop::compile::steps::plan {
namespace {

Status run(State& state) {
  assert((!when_frozen(state.target) || state.placed.empty()) &&
         "gradients have parameters that change");
  Planner planner(state);
  CH_TRY(state.plan, planner.run());
  for (const Chain& chain : state.schedule.chains) {
    if (!planner.refused().contains(chain.head)) continue;
    state.refused.insert(chain.head);
    std::string text =
        cat("no backend makes the chain of '", state.graph.node(chain.head).name, "'");
    for (const NodeId id : chain.epilogue) text += cat(" + '", state.graph.node(id).name, "'");
    state.remarks.push_back({"plan", text + ": its calls run one by one"});
  }
  if (state.plan && !state.target.reference_only)
    for (const StepInfo& step : state.plan->steps())
      if (step.backend == kReference)
        state.remarks.push_back({"plan", cat("no kernel takes '", step.name, "' (", step.op,
                                             "): it runs the reference forward")});
  return {};
}

}  // namespace

StepDef define() {
  return {.name = "plan",
          .doc = "choose kernels, lay out memory, put the steps together",
          .after = "layout",
          .needs_types = true,
          .run = run};
}

}  // namespace chop::compile::steps::plan
