// A graph run once on named tensors: the simple way, for programs that have no loop.
#pragma once

#include "runtime/reference.hpp"

namespace chop::compile {

struct NamedOutput {
  std::string name;  ///< as the network calls it; "output_0" where it does not
  Tensor value;
};

/// Compiles for the shapes at hand and runs in evaluation mode. Inputs are found by a
/// placeholder's name or target and converted to its type where nothing is lost; a missing one,
/// a shape that does not fit and an unknown name are errors that list what is wanted.
Result<std::vector<NamedOutput>> run_graph(const Graph& graph, const NamedTensors& inputs,
                                           int threads = 1);

/// The names of the results: those the graph was imported with, else output_0, output_1 ...
std::vector<std::string> output_names(const Graph& graph);

}  // namespace chop::compile
