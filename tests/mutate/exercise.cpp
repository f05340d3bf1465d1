#include "analysis/cost/average_bits.hpp"
#include "analysis/cost/cost.hpp"
#include "cli/open_model.hpp"
#include "compile/compile.hpp"
#include "compile/run_graph.hpp"
#include "ir/json.hpp"
#include "ir/text/text.hpp"
#include "mutate/kinds.hpp"
#include "onnx/export/export.hpp"
#include "onnx/import.hpp"
#include "ops/core/infer.hpp"
#include "runtime/reference.hpp"

namespace chop::mutate {
namespace {

/// Elements of all values and parameters; a mutant may honestly ask for very many.
constexpr double kMostElements = 1e5;
constexpr std::int64_t kMostMacs = 3'000'000;
constexpr std::int64_t kBatch = 2;

Status check_small(const Graph& graph) {
  CH_TRY(const Types types, infer_types(graph, kBatch));
  double elements = 0;
  for (const auto& results : types)
    for (const TensorType& type : results) {
      double size = 1;
      for (const std::int64_t dim : type.shape) size *= static_cast<double>(dim);
      elements += size;
    }
  if (elements > kMostElements) return Error{.what = "too large for this test"};
  return {};
}

Status run(const Graph& graph) {
  CH_TRY(const Types types, infer_types(graph, kBatch));
  NamedTensors inputs;
  for (const NodeId id : graph.placeholders()) {
    const TensorType& type = types[index(id)][0];
    inputs.emplace(graph.node(id).name, Tensor::full(type.shape, 1, type.dtype));
  }
  CH_TRY(const auto outputs, run_graph(graph, inputs));
  static_cast<void>(outputs);
  return {};
}

Status compile_all_ways(const Graph& graph) {
  CH_TRY(const Compiled plain, compile_graph(graph, {.batch = kBatch}));
  CH_TRY(const Compiled frozen, compile_graph(graph, {.batch = kBatch, .frozen = true}));
  Target training{.mode = Mode::Training, .batch = kBatch, .loss = true};
  for (const Parameter& parameter : graph.parameters())
    if (parameter.trainable) training.gradients.push_back(parameter.name);
  CH_TRY(Compiled compiled, compile_graph(graph, training));
  return compiled.plan.run();
}

Status to_onnx_and_back(const Graph& graph) {
  for (const QuantStyle style : {QuantStyle::Qdq, QuantStyle::Qonnx}) {
    CH_TRY(const std::string bytes, export_onnx(graph, {.style = style}));
    CH_TRY(const OnnxFile file, parse_onnx(std::as_bytes(std::span(bytes)), "again.onnx"));
    CH_TRY(const OnnxImport again, import_onnx(file));
    CH_CHECK(verify(again.graph));
  }
  return {};
}

Status ask(const std::string& file) {
  CH_TRY(const OpenedModel opened, open_model(file, OpenModelOptions{}));
  const Graph& graph = opened.graph;
  CH_CHECK(verify(graph));
  CH_CHECK(check_small(graph));
  const Result<Graph> text = read_text(print(graph, {.values = true}));
  if (!text || !(text.value() == graph)) std::abort();
  if (!graph_from_json(to_json(graph))) std::abort();
  CH_TRY(const GraphCost cost, count_costs(graph, {.batch = kBatch}));
  CH_TRY(const Types types, infer_types(graph, kBatch));
  CH_TRY(const AverageBits bits, average_bits(graph, types, counted_ops()));
  static_cast<void>(bits);
  // One of them may refuse; the others are asked all the same.
  const Status exported = to_onnx_and_back(graph);
  if (cost.arithmetic.macs > kMostMacs) return {};
  const Status ran = run(graph);
  const Status compiled = compile_all_ways(graph);
  return exported && ran && compiled ? Status() : Status(Error{.what = "refused in part"});
}

}  // namespace

int exercise(const std::string& file) {
  return ask(file) ? 0 : 1;
}

bool asks_for_much(const std::string& file) {
  const Result<OpenedModel> opened = open_model(file, OpenModelOptions{});
  if (!opened || !verify(opened.value().graph)) return false;
  const Graph& graph = opened.value().graph;
  if (!infer_types(graph, kBatch)) return false;
  if (!check_small(graph)) return true;
  const Result<GraphCost> cost = count_costs(graph, {.batch = kBatch});
  return cost && cost.value().arithmetic.macs > kMostMacs;
}

}  // namespace chop::mutate
