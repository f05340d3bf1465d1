// Prints every model of the zoo as lines a script can compare with PyTorch:
//   model NAME / node NAME OPCODE TARGET / param NAME DIMS... (parameters and buffers).
#include <iostream>

#include "models/registry.hpp"

int main() {
  for (const chop::ModelDef& model : chop::all_models()) {
    const chop::Result<chop::Graph> graph = chop::build_model(model.name, {});
    if (!graph) {
      std::cerr << chop::to_string(graph.error());
      return 1;
    }
    const chop::Graph& g = graph.value();
    std::cout << "model " << model.name << '\n';
    for (const chop::NodeId id : g.order())
      std::cout << "node " << g.node(id).name << ' ' << chop::name_of(g.node(id).opcode) << ' '
                << g.node(id).target << '\n';
    for (const chop::Parameter& parameter : g.parameters()) {
      std::cout << "param " << parameter.name;
      for (const std::int64_t dim : parameter.value.shape()) std::cout << ' ' << dim;
      std::cout << '\n';
    }
  }
}
