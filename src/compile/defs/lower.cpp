// Modules become calls that spell out their parameters, number formats become `quantize` calls:
//
//   %fc = call_module[target=fc] linear(%x) formats {weight: integer{...}}
// =>
//   %fc.weight = get_attr[target=fc.weight]
//   %fc_weight_quantized = call_function quantize(%fc.weight) {...}
//   %fc = call_function[target=fc] linear(%x, %fc_weight_quantized)
#include "compile/step_def.hpp"

namespace chop::compile::steps::lower {
namespace {

Status run(State& state) {
  state.lowered = compile::lower(state.graph, state.target.mode);
  if (state.target.observed) {
    std::vector<Value> outputs;
    for (const Value& value : *state.target.observed)
      outputs.push_back(state.target.through_formats ? state.lowered.read(value)
                                                     : state.lowered.made(value));
    state.lowered.graph.set_outputs(std::move(outputs));
  }
  state.graph = state.lowered.graph;
  return {};
}

}  // namespace

StepDef define() {
  return {.name = "lower",
          .doc = "spell out the parameters of every call, and number formats as quantize calls",
          .after = "",
          .applies = [](const Target& target) { return !target.lowered; },
          .run = run};
}

}  // namespace chop::compile::steps::lower
