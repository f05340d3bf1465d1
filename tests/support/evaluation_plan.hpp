// A plan of a network in evaluation mode, its parameters those of the graph.
#pragma once

#include "compile/compile.hpp"

namespace chop::test {

inline Plan evaluation_plan(const Graph& graph, std::int64_t batch, bool frozen, int threads) {
  return compile_graph(graph,
                       {.batch = batch, .threads = threads, .frozen = frozen, .verify = true})
      .value()
      .plan;
}

}  // namespace chop::test
