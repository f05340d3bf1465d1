#include "analysis/timing/layer_times.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <set>

#include "ops/core/lower.hpp"
#include "runtime/plan/plan.hpp"
#include "support/rng.hpp"
#include "support/text.hpp"

namespace chop::analysis {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::int64_t kMostRepeats = 1000;
constexpr std::int64_t kFewestRepeats = 3;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

/// Rows of the samples, over and over; without samples normal numbers, and zeros for indices.
Status fill_inputs(const Graph& graph, const Plan& plan, const TimingOptions& options) {
  CH_TRY(const Types types, infer_types(graph, options.batch));
  for (const NodeId id : graph.placeholders()) {
    const Node& node = graph.node(id);
    if (types[index(id)][0].dtype != DType::F32) continue;  // the plan's memory starts as zeros
    const std::span<float> to = plan.input<float>(node.name);
    const std::int64_t rows = options.samples == nullptr ? 0 : options.samples->rows();
    if (rows == 0) {
      const Stream stream(options.seed, cat("bench/", node.name));
      for (std::size_t i = 0; i < to.size(); ++i) to[i] = static_cast<float>(stream.normal(i));
      continue;
    }
    const std::span<const float> from = options.samples->x.data<float>();
    if (from.empty()) continue;
    for (std::size_t i = 0; i < to.size(); ++i) to[i] = from[i % from.size()];
  }
  return {};
}

/// A compiled graph with memory of its own.
class Runner {
 public:
  static Result<Runner> make(const Graph& lowered, const TimingOptions& options) {
    Runner runner;
    runner.parameters_ = std::make_unique<std::map<std::string, Tensor>>();
    for (const Parameter& parameter : lowered.parameters())
      runner.parameters_->emplace(parameter.name, parameter.value);
    const CompileOptions compile{
        .threads = options.threads,
        .parameter = [memory = runner.parameters_.get()](
                         const std::string& name) { return memory->at(name).mutable_bytes(); },
        .frozen = true};
    CH_TRY(runner.plan, Plan::compile(lowered, options.batch, compile));
    CH_CHECK(fill_inputs(lowered, runner.plan, options));
    return runner;
  }

  Plan plan;

 private:
  std::unique_ptr<std::map<std::string, Tensor>> parameters_;
};

/// The nodes a step runs: the one it is named after and, while that one's op is not the
/// step's, those it swallowed on the way to the one that has it.
std::vector<NodeId> nodes_of(const Graph& lowered, const std::string& name, const std::string& op) {
  std::vector<NodeId> nodes;
  std::optional<NodeId> at = lowered.find(name);
  while (at) {
    const Node& node = lowered.node(*at);
    nodes.insert(nodes.begin(), *at);
    if (node.op == op) return nodes;
    if (node.inputs.empty()) break;
    at = node.inputs[0].node;
  }
  return {};
}

/// The node a step of the lowered form alone works for: its reader, or else what it reads.
std::optional<NodeId> served_node(const Graph& graph, const Graph& lowered,
                                  const std::string& name) {
  const std::optional<NodeId> step = lowered.find(name);
  if (!step) return {};
  for (const NodeId reader : lowered.users(*step))
    if (lowered.node(reader).opcode != Opcode::Output)
      if (const auto own = graph.find(lowered.node(reader).name)) return own;
  const std::vector<Value>& inputs = lowered.node(*step).inputs;
  return inputs.empty() ? std::nullopt : graph.find(lowered.node(inputs[0].node).name);
}

/// A node of the lowered form, or the one it works for.
std::optional<NodeId> own_or_served(const Graph& graph, const Graph& lowered,
                                    const std::string& name) {
  const std::optional<NodeId> own = graph.find(name);
  return own ? own : served_node(graph, lowered, name);
}

std::vector<LayerTime> layers_of(const Graph& graph, const Graph& lowered, const Plan& plan) {
  const std::vector<std::string> slow = plan.reference_steps();
  const std::set<std::string> reference(slow.begin(), slow.end());
  const std::vector<std::string> lines = plan.describe();
  const std::vector<StepContents> contents = plan.contents();
  std::vector<LayerTime> layers;
  for (std::size_t k = 0; k < lines.size(); ++k) {
    const std::size_t colon = lines[k].rfind(": ");
    LayerTime layer{.name = lines[k].substr(0, colon), .op = lines[k].substr(colon + 2)};
    layer.fast = !reference.contains(lines[k]);
    std::vector<std::string> names;
    std::vector<std::string> ops;
    for (const auto& [name, op] : contents[k].calls)
      for (const NodeId id : nodes_of(lowered, name, op)) {
        const Node& node = lowered.node(id);
        const std::optional<NodeId> own = graph.find(node.name);
        if (!own) continue;
        layer.nodes.push_back(*own);
        names.push_back(node.name);
        ops.push_back(node.op);
      }
    if (layer.nodes.empty())
      layer.for_node = contents[k].serves.empty()
                           ? served_node(graph, lowered, layer.name)
                           : own_or_served(graph, lowered, contents[k].serves);
    if (!names.empty()) layer.name = join(names, " + ");
    if (!ops.empty()) layer.op = join(ops, " + ");
    layers.push_back(std::move(layer));
  }
  return layers;
}

std::int64_t repeats_for(const TimingOptions& options, double one_run) {
  if (options.repeats > 0) return options.repeats;
  const double fitting = options.seconds / std::max(one_run, 1e-9) / 2;
  return std::clamp(static_cast<std::int64_t>(std::min(fitting, 1e9)), kFewestRepeats,
                    kMostRepeats);
}

Status count_runs(Plan& plan, const TimingOptions& options, LayerTimes& times) {
  if (options.counters == nullptr) return {};
  CH_CHECK(options.counters->start());
  for (std::int64_t i = 0; i < times.repeats; ++i) plan.run();
  CH_TRY(times.counters, options.counters->stop());
  for (CounterValue& counter : times.counters) counter.value /= times.repeats;
  return {};
}

}  // namespace

double LayerTimes::step_seconds() const {
  double sum = 0;
  for (const LayerTime& layer : layers) sum += layer.seconds;
  return sum;
}

Result<LayerTimes> time_layers(const Graph& graph, const TimingOptions& options) {
  const Graph lowered = lower(graph, Mode::Evaluation);
  CH_TRY(Runner runner, Runner::make(lowered, options));
  Plan& plan = runner.plan;
  LayerTimes times{.layers = layers_of(graph, lowered, plan), .plan_bytes = plan.memory_bytes()};
  plan.run();  // the first run creates what kernels keep
  const Clock::time_point start = Clock::now();
  plan.run();
  times.repeats = repeats_for(options, seconds_since(start));

  std::vector<double> whole;
  std::vector<std::vector<double>> steps(times.layers.size());
  for (std::int64_t i = 0; i < times.repeats; ++i) {
    const Clock::time_point before = Clock::now();
    plan.run();
    whole.push_back(seconds_since(before));
    const std::vector<double> seconds = plan.run_timed();
    for (std::size_t k = 0; k < steps.size(); ++k) steps[k].push_back(seconds[k]);
  }
  times.run_seconds = median(whole);
  for (std::size_t k = 0; k < steps.size(); ++k) times.layers[k].seconds = median(steps[k]);
  const double sum = times.step_seconds();
  for (LayerTime& layer : times.layers) layer.share = sum > 0 ? layer.seconds / sum : 0;
  CH_CHECK(count_runs(plan, options, times));
  return times;
}

StepCost cost_of_step(const LayerTime& layer, const GraphCost& cost) {
  StepCost step;
  for (const NodeCost& node : cost.nodes) {
    if (std::find(layer.nodes.begin(), layer.nodes.end(), node.id) == layer.nodes.end()) continue;
    step.macs += node.arithmetic.macs;
    step.operations += node.arithmetic.exact;
    step.bytes += node.parameter_bytes;
    if (node.id == layer.nodes.front()) step.bytes += node.input_bytes;
    if (node.id == layer.nodes.back()) step.bytes += node.output_bytes;
  }
  return step;
}

}  // namespace chop::analysis
