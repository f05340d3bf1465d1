// A forward pass in evaluation mode, parameters constant: numbers are copied in, the network
// runs, the outputs are read.
#include <algorithm>
#include <memory>
#include <vector>

#include "compile/compile.hpp"
#include "network.hpp"

namespace chop::works {
namespace {

struct Forward {
  Graph graph;
  std::vector<float> x;
  std::vector<float> y;
  Plan plan;

  void run() {
    std::copy(x.begin(), x.end(), plan.input("x").begin());
    [[maybe_unused]] const Status status = plan.run();
    const std::span<const float> output = plan.output();
    std::copy(output.begin(), output.end(), y.begin());
  }
};

Result<PreparedWork> prepare(const WorkArgs& args) {
  CH_TRY(Graph graph, network_of(args));
  const auto forward = std::make_shared<Forward>(Forward{.graph = std::move(graph)});
  CH_TRY(Compiled compiled,
         compile_graph(forward->graph, {.batch = args.number("batch", 1),
                                        .threads = int(args.number("threads", 1)),
                                        .frozen = true}));
  forward->plan = std::move(compiled.plan);
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
