// report_graph: the listing of torch.fx, how many nodes of each kind, the layers.
#include "compat/python_pprint.hpp"
#include "ops/core/fx_text.hpp"
#include "passes/report_parts.hpp"
#include "support/text.hpp"

namespace chop::passes::report_graph {
namespace {

constexpr std::array<Opcode, 6> kOpcodes = {Opcode::Placeholder,  Opcode::GetAttr,
                                            Opcode::CallFunction, Opcode::CallMethod,
                                            Opcode::CallModule,   Opcode::Output};

Tree count_opcodes(const Graph& graph) {
  std::array<std::int64_t, kOpcodes.size()> counts = {};
  for (const NodeId id : graph.order())
    ++counts.at(static_cast<std::size_t>(graph.node(id).opcode));
  Tree tree = Tree::table();
  for (const Opcode opcode : kOpcodes)
    tree.set(name_of(opcode), counts.at(static_cast<std::size_t>(opcode)));
  return tree;
}

Result<PassOutput> run(Graph& graph, const Args& args, const PassContext& context) {
  const Tree counts = count_opcodes(graph);
  std::vector<std::string> layers;
  for (const NodeId id : graph.order())
    if (graph.node(id).opcode == Opcode::CallModule) layers.push_back(layer_repr(graph.node(id)));
  const std::string listing = fx_text(graph);

  PassOutput output;
  output.info.set("graph", listing);
  output.info.set("counts", counts);
  output.info.set("layers", Tree(layers));
  std::string text = cat(listing, "\nNetwork overview:\n", repr_of_tree(counts),
                         "\nLayer types:\n[", join(layers, ", "), "]");
  if (args.flag("explain")) text += "\n" + explain_columns();
  CH_CHECK(deliver(std::move(text), args.text_or_empty("file_name"), context, output));
  return output;
}

}  // namespace

PassDef define() {
  return {.name = "report_graph",
          .doc = "list the graph as torch.fx prints it, count its nodes, name its layers",
          .args = {{.name = "file_name", .doc = "write the report there instead of printing it"},
                   explain_arg()},
          .run = run,
          .samples = {{}, {.args = Tree::Table{{"file_name", "graph.txt"}}}}};
}

}  // namespace chop::passes::report_graph
