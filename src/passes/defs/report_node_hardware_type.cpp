// report_node_hardware_type: where the nodes that need hardware are placed.
#include "passes/report_parts.hpp"
#include "report/table.hpp"

namespace chop::passes::report_node_hardware_type {
namespace {

Result<PassOutput> run(Graph& graph, const Args& args, const PassContext& context) {
  Table table{.columns = {{"Node name", Align::Left, 0, "name"},
                          {"Fx Node op", Align::Left, 0, "op"},
                          {"Type", Align::Left, 0, "type"},
                          {"Tool Chain", Align::Left, 0, "toolchain"},
                          {"Device ID", Align::Auto, 0, "device_id"}}};
  for (const NodeId id : graph.order()) {
    const Node& node = graph.node(id);
    const HardwareMeta hardware = node.meta.hardware.value_or(HardwareMeta{});
    if (hardware.is_implicit) continue;
    const auto& results = node.meta.common->results;
    const auto result = results.find("data_out_0");
    table.rows.push_back(
        {node.name, name_of(node.opcode), result == results.end() ? "NA" : result->second.type,
         hardware.toolchain.empty() ? "NA" : hardware.toolchain, hardware.device_id});
  }
  PassOutput output{.text = drawn(table, TableStyle::Simple, context)};
  if (args.flag("explain"))
    output.text +=
        "Type: number format of the result. Tool Chain: who makes the hardware (INTERNAL, "
        "EXTERNAL, HLS), NA before a pass has decided.\n"
        "Device ID: the device a node is placed on, -1 before that. Nodes that only rename or "
        "reshape need no hardware and are left out.\n";
  output.info.set("nodes", tree_of(table));
  return output;
}

}  // namespace

PassDef define() {
  return {.name = "report_node_hardware_type",
          .doc = "tabulate tool chain and device of every node that needs hardware",
          .args = {explain_arg()},
          .needs = Needs::Common,
          .run = run};
}

}  // namespace chop::passes::report_node_hardware_type
