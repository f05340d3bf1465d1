// A training step: forward, backward and Adam.
#include "network.hpp"
#include "training_step.hpp"

namespace chop::works {
namespace {

Result<PreparedWork> prepare(const WorkArgs& args) {
  CH_TRY(const Graph graph, network_of(args));
  CH_TRY(const std::shared_ptr<TrainingStep> step,
         TrainingStep::make(graph, args.number("batch", 256), int(args.number("threads", 1))));
  const Repeated steps([step] { step->run(); });
  return PreparedWork{.facts = {{"parameters", double(graph.parameter_count())}},
                      .measure = [steps]() -> Result<Numbers> {
                        return Numbers{{"seconds", steps.seconds()}};
                      }};
}

}  // namespace

WorkDef train_step() {
  return {.name = "train_step",
          .doc = "model=, batch=, threads=, quantise=: seconds of a training step",
          .prepare = prepare};
}

}  // namespace chop::works
