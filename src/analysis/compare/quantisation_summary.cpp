#include "analysis/compare/quantisation_summary.hpp"

#include "analysis/operands.hpp"
#include "compat/mase_names.hpp"
#include "formats/registry.hpp"
#include "ops/core/registry.hpp"

namespace chop::analysis {
namespace {

struct Count {
  std::string op;
  std::int64_t total = 0;
  std::int64_t changed = 0;
};

}  // namespace

bool is_quantised(const Node& node) {
  return std::any_of(node.formats.begin(), node.formats.end(),
                     [](const auto& entry) { return !entry.second.is_plain(); });
}

std::string plain_type(const Node& node) {
  if (node.opcode == Opcode::CallModule) return std::string(op_of(node).module);
  if (node.opcode == Opcode::CallFunction || node.opcode == Opcode::CallMethod) return node.op;
  return node.target.empty() ? node.name : node.target;
}

std::string quantised_type(const Node& node) {
  for (const auto& [operand, format] : node.formats)
    if (!format.is_plain()) return class_name(plain_type(node), format);
  return plain_type(node);
}

Table quantisation_table(const Graph& graph) {
  Table table{.columns = {{"Ori name", Align::Left},
                          {"New name", Align::Left},
                          {"MASE_TYPE", Align::Left},
                          {"Mase_OP", Align::Left},
                          {"Original type", Align::Left},
                          {"Quantized type", Align::Left},
                          {"Changed", Align::Left}}};
  for (const NodeId id : graph.order()) {
    const Node& node = graph.node(id);
    table.rows.push_back({node.name, node.name, mase_type(node), mase_op(node), plain_type(node),
                          quantised_type(node), is_quantised(node)});
  }
  return table;
}

Table quantisation_histogram(const Graph& graph) {
  std::map<std::string, Count> counts;
  for (const NodeId id : graph.order()) {
    const Node& node = graph.node(id);
    Count& count = counts[plain_type(node)];
    if (count.total++ == 0) count.op = mase_op(node);
    if (is_quantised(node)) ++count.changed;
  }
  Table table{.columns = {{"Original type", Align::Left},
                          {"OP", Align::Left},
                          {"Total", Align::Right},
                          {"Changed", Align::Right},
                          {"Unchanged", Align::Right}}};
  for (const auto& [type, count] : counts)
    table.rows.push_back({type, count.op, count.total, count.changed, count.total - count.changed});
  return table;
}

}  // namespace chop::analysis
