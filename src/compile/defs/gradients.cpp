// Reverse-mode differentiation (compile/gradient.hpp): behind the loss come the calls that compute
// its derivative by every parameter that learns.
//
//   %loss = cross_entropy(%fc, %target)
// =>
//   %loss = cross_entropy(%fc, %target)
//   %loss_grad = full() {shape=[], value=1.0}
//   %loss_grad_1 = cross_entropy_grad(%loss_grad, %fc, %target)
//   %fc_grad = linear_grad(%loss_grad_1, %x, %fc.weight)   # its result 1: gradient of fc.weight
#include "compile/gradient.hpp"
#include "compile/step_def.hpp"

namespace chop::compile::steps::gradients {
namespace {

/// Two parameters may have one gradient (of a + b, say); the second gets a copy.
void place(State& state, const std::string& name, Value value, std::byte* memory) {
  if (!state.placed.emplace(value, memory).second) {
    const std::vector<Value> outputs = state.graph.outputs();
    value = {state.graph.add({.name = "",
                              .opcode = Opcode::CallFunction,
                              .op = "identity",
                              .target = "identity",
                              .inputs = {value}})};
    state.graph.set_outputs(outputs);
    state.types.reset();
    state.placed.emplace(value, memory);
  }
  state.gradients.emplace(name, value);
}

Status run(State& state) {
  if (!state.loss)
    return Error{.what = "gradients need a loss",
                 .hint = "compile with Target::loss, or differentiate the graph yourself"};
  CH_TRY(GradientGraph backward,
         differentiate(std::move(state.graph), state.rows(), *state.loss, state.target.gradients));
  state.graph = std::move(backward.graph);
  state.types = std::move(backward.types);
  const auto& memory = state.memory.gradient;
  for (const auto& [name, value] : backward.gradients)
    place(state, name, value, memory ? memory(name) : nullptr);
  return {};
}

}  // namespace

StepDef define() {
  return {.name = "gradients",
          .doc = "append the calls that compute the gradient of the loss by every parameter",
          .after = "loss",
          .applies = [](const Target& target) { return !target.gradients.empty(); },
          .run = run};
}

}  // namespace chop::compile::steps::gradients
