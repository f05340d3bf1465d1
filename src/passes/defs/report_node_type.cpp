// report_node_type: what every node is, for torch.fx and for the reference system.
#include "passes/report_parts.hpp"
#include "report/table.hpp"

namespace chop::passes::report_node_type {
namespace {

std::string value_type(const CommonMeta& meta) {
  const auto found = meta.args.find("data_in_0");
  return found == meta.args.end() ? "NA" : found->second.type;
}

Result<PassOutput> run(Graph& graph, const Args& args, const PassContext& context) {
  Table table{.columns = {{"Node name", Align::Left, 0, "name"},
                          {"Fx Node op", Align::Left, 0, "op"},
                          {"Mase type", Align::Left, 0, "mase_type"},
                          {"Mase op", Align::Left, 0, "mase_op"},
                          {"Value type", Align::Left, 0, "value_type"}}};
  for (const NodeId id : graph.order()) {
    const Node& node = graph.node(id);
    const CommonMeta& meta = *node.meta.common;
    table.rows.push_back(
        {node.name, name_of(node.opcode), meta.mase_type, meta.mase_op, value_type(meta)});
  }
  PassOutput output{.text = drawn(table, TableStyle::Simple, context)};
  if (args.flag("explain")) output.text += explain_columns();
  output.info.set("nodes", tree_of(table));
  return output;
}

}  // namespace

PassDef define() {
  return {.name = "report_node_type",
          .doc = "tabulate opcode, type, op and number format of every node",
          .details = "Value type is the number format of the first input, NA where there is none.",
          .args = {explain_arg()},
          .needs = Needs::Common,
          .run = run};
}

}  // namespace chop::passes::report_node_type
