// Appends the mean cross entropy of a classifier:
//
//   output(%logits)
// =>
//   %target = placeholder {dtype="i64", shape=[-1]}
//   %loss = call_function cross_entropy(%logits, %target)
//   output(%loss, %logits)
#include "compile/step_def.hpp"
#include "support/text.hpp"

namespace chop::compile::steps::loss {
namespace {

Status run(State& state) {
  Graph& graph = state.graph;
  const std::vector<NodeId> inputs = graph.placeholders();
  const std::vector<Value> outputs = graph.outputs();
  if (outputs.size() != 1 || inputs.size() != 1)
    return Error{.what =
                     cat("graph '", graph.name(), "' has ", counted(std::ssize(inputs), "input"),
                         " and ", counted(std::ssize(outputs), "output"),
                         "; classification needs one of each")};
  const Value logits = outputs[0];
  const NodeId target = graph.add({.name = "target",
                                   .opcode = Opcode::Placeholder,
                                   .op = "placeholder",
                                   .target = "target",
                                   .attrs = {{"shape", Ints{-1}}, {"dtype", "i64"}}});
  const NodeId loss = graph.add({.name = "loss",
                                 .opcode = Opcode::CallFunction,
                                 .op = "cross_entropy",
                                 .target = "torch.nn.functional.cross_entropy",
                                 .inputs = {logits, {target}}});
  graph.set_outputs({{loss}, logits});
  state.loss = Value{loss};
  state.labels = graph.node(target).name;  // another, when the network has a 'target'
  state.types.reset();
  return {};
}

}  // namespace

StepDef define() {
  return {.name = "loss",
          .doc = "append the mean cross entropy against labels",
          .after = "lower",
          .applies = [](const Target& target) { return target.loss; },
          .run = run};
}

}  // namespace chop::compile::steps::loss
