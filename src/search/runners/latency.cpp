// latency: how long the candidate takes on this machine. The only metric that differs from run to
// run.
#include <mutex>

#include "analysis/timing/layer_times.hpp"
#include "search/evaluation/runner_def.hpp"

namespace chop::search::runners::latency {
namespace {

class Latency : public Runner {
 public:
  explicit Latency(TimingOptions options) : options_(options) {}

  Result<MetricValues> run(Candidate& candidate, const RunHooks& /*hooks*/) override {
    const std::lock_guard alone(mutex_);  // workers would slow each other down
    CH_TRY(const LayerTimes times, time_layers(candidate.graph, options_));
    return MetricValues{{"latency", times.run_seconds * 1e6}};
  }

 private:
  TimingOptions options_;
  std::mutex mutex_;
};

Result<std::unique_ptr<Runner>> make(const RunnerContext& context, const Args& args) {
  return std::unique_ptr<Runner>(new Latency({.batch = args.integer("batch_size"),
                                              .threads = context.threads,
                                              .seconds = args.real("seconds"),
                                              .samples = &context.data.test}));
}

}  // namespace

RunnerDef define() {
  return {.name = "latency",
          .hardware = true,
          .doc = "time a run of the network on this machine",
          .metrics = {{"latency", "microseconds of a run, the median"}},
          .args = {{.name = "batch_size",
                    .initial = 1,
                    .doc = "samples in a run",
                    .bounds = {.least = 1}},
                   {.name = "seconds",
                    .initial = 0.05,
                    .doc = "time spent on measuring each trial",
                    .bounds = {.above = 0}}},
          .make = make};
}

}  // namespace chop::search::runners::latency
