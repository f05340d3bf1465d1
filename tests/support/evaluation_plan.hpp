// A plan of a network in evaluation mode, its parameters those of the graph.
#pragma once

#include "ops/core/lower.hpp"
#include "runtime/plan/plan.hpp"

namespace chop::test {

/// The graph must outlive the plan.
inline Plan evaluation_plan(const Graph& graph, std::int64_t batch, bool frozen, int threads) {
  const auto parameter = [&graph](const std::string& name) {
    return const_cast<std::byte*>(graph.find_parameter(name)->value.bytes());
  };
  return Plan::compile(lower(graph, Mode::Evaluation), batch,
                       {.threads = threads, .parameter = parameter, .frozen = frozen})
      .value();
}

}  // namespace chop::test
