// Imports the nodes of an ONNX graph in topological order, each by the importer of its operator.
#include <queue>

#include "onnx/onnx_def.hpp"
#include "support/text.hpp"

namespace chop::onnx {
namespace {

std::string describe(const proto::NodeProto& node) {
  if (!node.name().empty()) return cat("in node '", node.name(), "' (", node.op_type(), ")");
  return cat("in the ", node.op_type(), " that makes '",
             node.output_size() > 0 ? node.output(0) : std::string(), "'");
}

/// Nodes in topological order, as near to the file's order as possible. A cycle, or two nodes that
/// make one value, is an error.
Result<std::vector<int>> sorted(const proto::GraphProto& graph) {
  std::map<std::string_view, int> makers;
  for (int i = 0; i < graph.node_size(); ++i)
    for (const std::string& output : graph.node(i).output())
      if (!output.empty() && !makers.emplace(output, i).second)
        return Error{.what = cat("two nodes make the value '", output, "'")};
  std::vector<int> waiting(static_cast<std::size_t>(graph.node_size()), 0);
  std::vector<std::vector<int>> readers(static_cast<std::size_t>(graph.node_size()));
  for (int i = 0; i < graph.node_size(); ++i)
    for (const std::string& input : graph.node(i).input())
      if (const auto maker = makers.find(input); maker != makers.end()) {
        readers[static_cast<std::size_t>(maker->second)].push_back(i);
        ++waiting[static_cast<std::size_t>(i)];
      }
  std::priority_queue<int, std::vector<int>, std::greater<>> ready;
  for (int i = 0; i < graph.node_size(); ++i)
    if (waiting[static_cast<std::size_t>(i)] == 0) ready.push(i);
  std::vector<int> order;
  while (!ready.empty()) {
    const int at = ready.top();
    ready.pop();
    order.push_back(at);
    for (const int reader : readers[static_cast<std::size_t>(at)])
      if (--waiting[static_cast<std::size_t>(reader)] == 0) ready.push(reader);
  }
  if (order.size() == waiting.size()) return order;
  for (int i = 0; i < graph.node_size(); ++i)
    if (waiting[static_cast<std::size_t>(i)] > 0)
      return Error{.what = cat("the graph has a cycle: a node waits for its own result, ",
                               describe(graph.node(i)))};
  return order;
}

/// All operators that cannot be imported, in one error.
Status check_supported(const proto::GraphProto& graph) {
  std::map<std::string, int> unknown;
  for (const proto::NodeProto& node : graph.node())
    if (find_onnx_import(node.domain(), node.op_type()) == nullptr)
      ++unknown[is_main_domain(node.domain()) ? node.op_type()
                                              : cat(node.domain(), ".", node.op_type())];
  if (unknown.empty()) return {};
  std::vector<std::string> list;
  for (const auto& [name, count] : unknown)
    list.push_back(count == 1 ? name : cat(name, " (", count, " times)"));
  return Error{
      .what = cat("cannot import the operator", list.size() == 1 ? " " : "s ", join(list, ", ")),
      .hint = "`ch ops --onnx` lists the operators that can be imported"};
}

}  // namespace

void import_nodes(OnnxScope& scope, const proto::GraphProto& graph) {
  Importer& importer = scope.importer;
  if (importer.failed()) return;
  if (Status status = check_supported(graph); !status)
    return importer.fail(std::move(status).error());
  if (graph.sparse_initializer_size() > 0)
    return importer.fail(
        {.what = "the graph has sparse initialisers", .hint = "store them as dense tensors"});
  for (const proto::TensorProto& initialiser : graph.initializer()) {
    if (scope.names.contains(initialiser.name())) continue;  // given by the caller
    Result<Tensor> tensor = tensor_of(initialiser, scope.file);
    if (!tensor) return importer.fail(std::move(tensor).error());
    importer.add_budget(tensor.value().size());
    scope.names[initialiser.name()] =
        importer.constant(std::move(tensor).value(), initialiser.name());
  }
  for (const proto::NodeProto& node : graph.node())
    for (const std::string& input : node.input()) ++scope.uses[input];
  for (const auto& output : graph.output()) ++scope.uses[output.name()];
  Result<std::vector<int>> order = sorted(graph);
  if (!order) return importer.fail(std::move(order).error());
  for (const int i : order.value()) {
    const proto::NodeProto& node = graph.node(i);
    importer.set_location(node.name(), describe(node));
    const OnnxImportDef& def = *find_onnx_import(node.domain(), node.op_type());
    const OnnxCall call(scope, node);
    def.import(call);
    call.refuse_unread(def.without_effect);
    if (importer.failed()) return;
  }
}

}  // namespace chop::onnx
