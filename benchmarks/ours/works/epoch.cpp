// Epochs over generated jets: seconds per epoch, and memory beyond what the data itself takes.
#include <algorithm>
#include <fstream>
#include <memory>
#include <string>

#include "network.hpp"
#include "train/trainer.hpp"

namespace chop::works {
namespace {

/// The most memory the process has had since forget_peak().
double peak_bytes() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;)
    if (double kilobytes = 0; word == "VmHWM:" && status >> kilobytes) return 1024 * kilobytes;
  return 0;
}

void forget_peak() {
  std::ofstream("/proc/self/clear_refs") << "5";
}

double bytes_of(const Dataset& data) {
  double bytes = 0;
  for (const Split* split : {&data.train, &data.validation, &data.test})
    bytes += 4.0 * double(split->x.size()) + 8.0 * double(split->y.size());
  return bytes;
}

Result<Numbers> measure(const WorkArgs& args, const Graph& graph, const Dataset& data) {
  // Short epochs come in numbers, so that a round can be measured.
  const std::int64_t epochs = std::clamp<std::int64_t>(2'000'000 / data.train.rows(), 1, 1000);
  forget_peak();
  double seconds = 0;
  CH_TRY(const TrainOutcome outcome,
         train_network(graph, data,
                       {.max_epochs = epochs,
                        .batch_size = args.number("batch", 256),
                        .threads = int(args.number("threads", 1))},
                       {.on_epoch = [&](const EpochMetrics&, double took) { seconds += took; }}));
  return Numbers{{"seconds", seconds / double(epochs)}, {"beyond", peak_bytes() - bytes_of(data)}};
}

Result<PreparedWork> prepare(const WorkArgs& args) {
  CH_TRY(Graph graph, network_of(args));
  CH_TRY(Dataset data, load_dataset("jsc", {.rows = args.number("rows", 10'000)}));
  const auto held = std::make_shared<const Dataset>(std::move(data));
  return PreparedWork{.facts = {{"bytes", bytes_of(*held)}},
                      .measure = [args, graph, held] { return measure(args, graph, *held); }};
}

}  // namespace

WorkDef epoch() {
  return {.name = "epoch",
          .doc = "model=, rows=, batch=, threads=: seconds per epoch, bytes beyond the data",
          .prepare = prepare};
}

}  // namespace chop::works
