// Runs a frozen plan again and again, alternately as it is and with a clock around every step
// (medians are kept), and maps the steps to the nodes they compute.
#include "analysis/timing/layer_times.hpp"

#include <chrono>

#include "compile/compile.hpp"
#include "support/rng.hpp"
#include "support/text.hpp"

namespace chop::analysis {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::int64_t kMostRepeats = 1000;
constexpr std::int64_t kFewestRepeats = 9;
constexpr std::int64_t kFewestOfSlow = 3;
constexpr double kSlow = 0.05;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

/// The distance between the quartiles over the median.
double spread_of(std::vector<double> values) {
  if (values.size() < 2) return 0;
  std::sort(values.begin(), values.end());
  const double middle = median(values);
  const double range = values[values.size() * 3 / 4] - values[values.size() / 4];
  return middle > 0 ? range / middle : 0;
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

/// The nodes of a graph that the steps of its plan run.
class StepNodes {
 public:
  StepNodes(const Graph& graph, const Lowered& lowered) : graph_(graph), lowered_(lowered.graph) {
    for (const auto& [own, made] : lowered.nodes) own_.emplace(made, own);
  }

  LayerTime layer_of(const StepInfo& step) const {
    LayerTime layer{.name = step.name, .op = step.op, .backend = std::string(step.backend)};
    std::vector<std::string> names;
    std::vector<std::string> ops;
    for (const NodeId id : step.nodes)
      if (const std::optional<NodeId> own = own_node(id)) {
        layer.nodes.push_back(*own);
        names.push_back(graph_.node(*own).name);
        ops.push_back(graph_.node(*own).op);
      }
    if (names.empty()) {
      layer.for_node = served_node(step);
      return layer;
    }
    layer.name = join(names, " + ");
    layer.op = join(ops, " + ");
    return layer;
  }

 private:
  std::optional<NodeId> own_node(NodeId lowered) const {
    const auto found = own_.find(lowered);
    return found == own_.end() ? std::nullopt : std::optional(found->second);
  }

  /// What a step works for that is no node's own: a change of layout for its reader or the output,
  /// a rounding likewise or else for what it rounds.
  std::optional<NodeId> served_node(const StepInfo& step) const {
    if (step.nodes.empty() && !step.serves) return graph_.order().back();
    const NodeId id = step.serves ? *step.serves : step.nodes.front();
    if (const std::optional<NodeId> own = own_node(id)) return own;
    for (const NodeId reader : lowered_.users(id))
      if (lowered_.node(reader).opcode != Opcode::Output)
        if (const std::optional<NodeId> own = own_node(reader)) return own;
    const std::vector<Value>& inputs = lowered_.node(id).inputs;
    return inputs.empty() ? std::nullopt : own_node(inputs[0].node);
  }

  const Graph& graph_;
  const Graph& lowered_;
  std::map<NodeId, NodeId> own_;
};

std::int64_t repeats_for(const TimingOptions& options, double one_run) {
  if (options.repeats > 0) return options.repeats;
  const double fitting = options.seconds / std::max(one_run, 1e-9) / 2;
  return std::clamp(static_cast<std::int64_t>(std::min(fitting, 1e9)),
                    one_run > kSlow ? kFewestOfSlow : kFewestRepeats, kMostRepeats);
}

Status count_runs(Plan& plan, const TimingOptions& options, LayerTimes& times) {
  if (options.counters == nullptr) return {};
  CH_CHECK(options.counters->start());
  for (std::int64_t i = 0; i < times.repeats; ++i) CH_CHECK(plan.run());
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
  CH_TRY(
      Compiled compiled,
      compile_graph(graph, {.batch = options.batch, .threads = options.threads, .frozen = true}));
  Plan& plan = compiled.plan;
  LayerTimes times{.plan_bytes = plan.memory_bytes(), .remarks = {}};
  for (const compile::Remark& remark : compiled.remarks) times.remarks.push_back(remark.text);
  const StepNodes nodes(graph, compiled.lowered);
  for (const StepInfo& step : plan.steps()) times.layers.push_back(nodes.layer_of(step));
  if (times.plan_bytes > options.most_bytes) {
    constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
    times.run_seconds = kUnknown;
    for (LayerTime& layer : times.layers) layer.seconds = layer.share = kUnknown;
    return times;
  }
  CH_CHECK(fill_inputs(graph, plan, options));
  CH_CHECK(plan.run());  // the first run creates what kernels keep
  const Clock::time_point start = Clock::now();
  CH_CHECK(plan.run());
  times.repeats = repeats_for(options, seconds_since(start));

  std::vector<double> whole;
  std::vector<std::vector<double>> steps(times.layers.size());
  for (std::int64_t i = 0; i < times.repeats; ++i) {
    const Clock::time_point before = Clock::now();
    CH_CHECK(plan.run());
    whole.push_back(seconds_since(before));
    CH_TRY(const std::vector<double> seconds, plan.run_timed());
    for (std::size_t k = 0; k < steps.size(); ++k) steps[k].push_back(seconds[k]);
  }
  times.run_seconds = median(whole);
  times.spread = spread_of(whole);
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
