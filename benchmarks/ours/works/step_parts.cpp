// A training step, part by part: what each step of its plan takes, and the optimiser.
#include "network.hpp"
#include "training_step.hpp"

namespace chop::works {
namespace {

/// Seconds of each part, the mean of `count` steps; asking the clock takes some 30 ns a part.
Numbers measure(TrainingStep& step, int count) {
  Numbers sums = step.run_timed();
  for (auto& [name, seconds] : sums) seconds = 0;
  for (int i = 0; i < count; ++i) {
    const Numbers once = step.run_timed();
    for (std::size_t k = 0; k < once.size(); ++k) sums[k].second += once[k].second / count;
  }
  return sums;
}

Result<PreparedWork> prepare(const WorkArgs& args) {
  CH_TRY(const Graph graph, network_of(args));
  CH_TRY(const std::shared_ptr<TrainingStep> step,
         TrainingStep::make(graph, args.number("batch", 256), int(args.number("threads", 1))));
  const int count = int(args.number("count", 1000));
  measure(*step, count);
  return PreparedWork{
      .facts = {{"parameters", double(graph.parameter_count())}},
      .measure = [step, count]() -> Result<Numbers> { return measure(*step, count); }};
}

}  // namespace

WorkDef step_parts() {
  return {.name = "step_parts",
          .doc = "model=, batch=, threads=, quantise=, count=: seconds of each part of a step",
          .prepare = prepare};
}

}  // namespace chop::works
