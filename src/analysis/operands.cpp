#include "analysis/operands.hpp"

#include "formats/registry.hpp"
#include "ops/core/registry.hpp"

namespace chop::analysis {
namespace {

bool is_read(const Graph& graph, Value value) {
  return std::any_of(graph.order().begin(), graph.order().end(), [&](NodeId id) {
    const std::vector<Value>& inputs = graph.node(id).inputs;
    return std::find(inputs.begin(), inputs.end(), value) != inputs.end();
  });
}

NumberFormat format_of(const Node& node, const std::string& operand) {
  const auto found = node.formats.find(operand);
  return found == node.formats.end() ? NumberFormat{} : found->second;
}

/// Keys that are not whole numbers (a block size, a median) are left out.
std::vector<std::int64_t> precision_list(const NumberFormat& format) {
  std::vector<std::int64_t> list;
  const Result<std::vector<Attr>> keys = precision_of(format);
  if (!keys) return list;
  for (const Attr& key : keys.value()) {
    if (const auto* whole = std::get_if<std::int64_t>(&key)) list.push_back(*whole);
    if (const auto* flag = std::get_if<bool>(&key)) list.push_back(*flag ? 1 : 0);
    if (const auto* sizes = std::get_if<Ints>(&key))
      list.insert(list.end(), sizes->begin(), sizes->end());
  }
  return list;
}

}  // namespace

std::vector<Operand> operands_of(const Graph& graph, NodeId id, const Types& types) {
  const Node& node = graph.node(id);
  std::vector<Operand> operands;
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    Operand operand{.name = cat("data_in_", i), .type = type_of(types, node.inputs[i])};
    operand.value = node.inputs[i];
    operand.format = format_of(node, operand.name);
    operands.push_back(std::move(operand));
  }
  if (node.opcode != Opcode::CallModule) return operands;
  const OpDef& op = op_of(node);
  for (const ParamDef& def : op.params) {
    if (!is_present(def, {op, node.attrs})) continue;
    const Parameter* parameter = graph.find_parameter(cat(node.target, ".", def.name));
    operands.push_back({.name = std::string(def.name),
                        .type = parameter->value.type(),
                        .format = format_of(node, std::string(def.name)),
                        .parameter = parameter,
                        .definition = &def});
  }
  return operands;
}

std::vector<Operand> results_of(const Graph& graph, NodeId id, const Types& types) {
  const Node& node = graph.node(id);
  std::vector<Value> values = node.inputs;
  if (node.opcode != Opcode::Output) {
    values.clear();
    // Further results (the statistics of a normalisation) count when a node reads them.
    for (std::uint32_t i = 0; i < types[index(id)].size(); ++i)
      if (i == 0 || is_read(graph, {id, i})) values.push_back({id, i});
  }
  std::vector<Operand> results;
  for (std::size_t i = 0; i < values.size(); ++i) {
    Operand result{.name = cat("data_out_", i), .type = type_of(types, values[i])};
    result.value = values[i];
    result.format = format_of(node, result.name);
    results.push_back(std::move(result));
  }
  return results;
}

TensorMeta describe(const Operand& operand) {
  TensorMeta meta{.shape = operand.type.shape, .dtype = operand.type.dtype};
  if (!operand.format.is_plain()) {
    meta.type = operand.format.name;
    meta.precision = precision_list(operand.format);
    return meta;
  }
  if (!is_floating(operand.type.dtype)) meta.type = "int";
  meta.precision = {static_cast<std::int64_t>(size_of(operand.type.dtype)) * 8};
  return meta;
}

}  // namespace chop::analysis
