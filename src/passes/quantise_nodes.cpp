// The formats of a node's operands, then calibration of the keys that are left open ("auto").
#include "passes/quantise_nodes.hpp"

#include "analysis/calibration/observe.hpp"
#include "formats/quantiser.hpp"
#include "formats/registry.hpp"
#include "ops/core/quantise.hpp"
#include "ops/core/registry.hpp"
#include "support/text.hpp"

namespace chop::passes {
namespace {

/// One key to calibrate, with the values to calibrate it by.
struct Choice {
  OpenFormats where;
  ValueSample sample = ValueSample();
  std::vector<float> first = {};  ///< the first values, for formats that learn
  Shape first_shape = {};
};

NumberFormat& format_at(Graph& graph, const OpenFormats& where) {
  return graph.node(where.node).formats.at(where.operand);
}

Status calibrate_choice(Graph& graph, const Choice& choice, const CalibrationOptions& options) {
  NumberFormat& format = format_at(graph, choice.where);
  const FormatDef& def = *find_format(format.name).value();
  if (def.learned.empty()) {
    CH_TRY(format, calibrate(format, choice.sample, options));
    return {};
  }
  CH_TRY(Quantiser quantiser, Quantiser::make(format, choice.first_shape));
  const std::vector<float> start = quantiser.initial(choice.first.data());
  const std::string name =
      learned_parameter(graph.node(choice.where.node), choice.where.operand, def.learned);
  const Tensor value =
      Tensor::of<float>({static_cast<std::int64_t>(start.size())}, std::span<const float>(start));
  if (Parameter* known = graph.find_parameter(name))
    known->value = value;
  else
    graph.add_parameter({.name = name, .value = value});
  CH_TRY(format, complete(format));
  return {};
}

/// Values of parameters are known now; activations are observed later.
void take_parameter(const Operand& operand, Choice& choice) {
  const auto values = operand.parameter->value.data<float>();
  choice.sample.update(values);
  choice.first.assign(values.begin(), values.end());
  choice.first_shape = operand.type.shape;
}

Status watch(const Graph& graph, std::vector<Choice*>& choices, const std::vector<Value>& values,
             std::int64_t num_samples, const PassContext& context) {
  if (choices.empty()) return {};
  const OpenFormats& one = choices.front()->where;
  if (context.samples == nullptr || context.samples->rows() == 0)
    return Error{.what = cat("node '", graph.node(one.node).name, "', ", one.operand,
                             ": its range is to be chosen from data, and there is none"),
                 .hint = "give the key (frac_width ...), or a data set"};
  CH_TRY(const auto shapes, sample_shapes(graph, values));
  const ObserveOptions options{.rows = std::min(num_samples, context.samples->rows()),
                               .threads = context.threads};
  return observe(graph, values, *context.samples, options,
                 [&](std::span<const Observation> observed) {
                   for (std::size_t i = 0; i < observed.size(); ++i) {
                     Shape shape = shapes[i] ? shapes[i]->shape : Shape{1};
                     if (!shape.empty()) shape[0] *= observed[i].samples;
                     const std::span<const float> all(observed[i].values,
                                                      static_cast<std::size_t>(numel(shape)));
                     choices[i]->sample.update(all);
                     if (!choices[i]->first.empty()) continue;
                     choices[i]->first.assign(all.begin(), all.end());
                     choices[i]->first_shape = shape;
                   }
                 });
}

/// Removes the learned parameters of the formats a node had before.
void forget_learned(Graph& graph, NodeId id) {
  const Node& node = graph.node(id);
  for (const auto& [operand, format] : node.formats) {
    const std::string_view learned = find_format(format.name).value()->learned;
    if (learned.empty()) continue;
    if (const std::string name = learned_parameter(node, operand, learned);
        graph.find_parameter(name) != nullptr)
      graph.erase_parameter(name);
  }
}

}  // namespace

bool is_quantisable(const Node& node) {
  const bool call = node.opcode == Opcode::CallModule || node.opcode == Opcode::CallFunction ||
                    node.opcode == Opcode::CallMethod;
  return call && !op_of(node).quantisable.empty();
}

Status quantise_node(Graph& graph, NodeId id, const Types& types, QuantiseConfig& config,
                     std::vector<OpenFormats>& open) {
  std::vector<Operand> operands = operands_of(graph, id, types);
  for (Operand& result : results_of(graph, id, types)) operands.push_back(std::move(result));
  CH_TRY(QuantiseConfig::NodeFormats found, config.formats_for(graph.node(id), operands));
  forget_learned(graph, id);
  graph.node(id).formats = std::move(found.formats);
  for (const auto& [operand, key] : found.open_keys) open.push_back({id, operand});
  return {};
}

std::vector<Field> calibration_args() {
  const std::span<const std::string_view> methods = calibration_methods();
  const CalibrationOptions defaults;
  return {{.name = "calibration",
           .initial = methods[static_cast<std::size_t>(defaults.method)],
           .doc = "how ranges are chosen from data",
           .choices = {methods.begin(), methods.end()}},
          {.name = "quantile",
           .initial = defaults.quantile,
           .doc = "share of the values that must fit, for calibration = \"quantile\"",
           .bounds = {.most = 1, .above = 0.5}},
          {.name = "num_samples",
           .initial = 512,
           .doc = "rows of data that ranges are chosen from",
           .bounds = {.least = 1}}};
}

Result<std::int64_t> calibrate_formats(Graph& graph, const std::vector<OpenFormats>& open,
                                       const CalibrationOptions& options, std::int64_t num_samples,
                                       const PassContext& context) {
  CH_TRY(const Types types, infer_types(graph, context.batch_size));
  std::vector<Choice> choices;
  for (const OpenFormats& where : open) choices.push_back({.where = where});
  std::vector<Choice*> watched;
  std::vector<Value> values;
  for (Choice& choice : choices) {
    std::vector<Operand> operands = operands_of(graph, choice.where.node, types);
    for (Operand& result : results_of(graph, choice.where.node, types))
      operands.push_back(std::move(result));
    const auto operand = std::find_if(operands.begin(), operands.end(), [&](const Operand& one) {
      return one.name == choice.where.operand;
    });
    if (operand->is_parameter()) {
      take_parameter(*operand, choice);
      continue;
    }
    watched.push_back(&choice);
    values.push_back(operand->value);
  }
  // Activations are observed without the formats that are being calibrated.
  Graph plain = graph;
  for (const NodeId id : plain.order()) plain.node(id).formats.clear();
  CH_CHECK(watch(plain, watched, values, num_samples, context));
  for (const Choice& choice : choices)
    if (Status status = calibrate_choice(graph, choice, options); !status)
      return std::move(status).error().note(
          cat("node '", graph.node(choice.where.node).name, "', ", choice.where.operand));
  return watched.empty() ? 0 : std::min(num_samples, context.samples->rows());
}

}  // namespace chop::passes
