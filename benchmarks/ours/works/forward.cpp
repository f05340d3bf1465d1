// A forward pass in evaluation mode, parameters constant: numbers are copied in, the network
// runs, the outputs are read.
#include <algorithm>
#include <memory>
#include <vector>

#include "network.hpp"
#include "ops/core/lower.hpp"
#include "runtime/plan/plan.hpp"

namespace chop::works {
namespace {

struct Forward {
  Graph graph;
  std::vector<float> x;
  std::vector<float> y;
  Plan plan;

  void run() {
    std::copy(x.begin(), x.end(), plan.input("x").begin());
    plan.run();
    const std::span<const float> output = plan.output();
    std::copy(output.begin(), output.end(), y.begin());
  }
};

Result<PreparedWork> prepare(const WorkArgs& args) {
  CH_TRY(Graph graph, network_of(args));
  const auto forward = std::make_shared<Forward>(Forward{.graph = std::move(graph)});
  const auto parameter = [forward = forward.get()](const std::string& name) {
    return const_cast<std::byte*>(forward->graph.find_parameter(name)->value.bytes());
  };
  CH_TRY(forward->plan,
         Plan::compile(
             lower(forward->graph, Mode::Evaluation), args.number("batch", 1),
             {.threads = int(args.number("threads", 1)), .parameter = parameter, .frozen = true}));
  forward->x.resize(forward->plan.input("x").size());
  forward->y.resize(forward->plan.output().size());
  fill_normal(forward->x);
  const Repeated runs([forward] { forward->run(); });
  return PreparedWork{.facts = {{"parameters", double(forward->graph.parameter_count())}},
                      .measure = [runs]() -> Result<Numbers> {
                        return Numbers{{"seconds", runs.seconds()}};
                      }};
}

}  // namespace

WorkDef forward() {
  return {.name = "forward",
          .doc = "model=, batch=, threads=, quantise=: seconds of a forward pass",
          .prepare = prepare};
}

}  // namespace chop::works
