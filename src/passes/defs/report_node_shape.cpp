// report_node_shape: the shapes that go into every node and come out of it.
#include "passes/report_parts.hpp"

namespace chop::passes::report_node_shape {
namespace {

using TensorMetas = std::map<std::string, TensorMeta>;

std::string shape_lines(const TensorMetas& metas) {
  std::string text;
  for (const auto& [name, meta] : metas) text += cat(name, " = ", to_string(meta.shape), "\n");
  return text;
}

Tree shape_tree(const TensorMetas& metas) {
  Tree tree = Tree::table();
  for (const auto& [name, meta] : metas) tree.set(name, Tree(meta.shape));
  return tree;
}

Result<PassOutput> run(Graph& graph, const Args& args, const PassContext& /*context*/) {
  PassOutput output;
  Tree nodes = Tree::list();
  for (const NodeId id : graph.order()) {
    const Node& node = graph.node(id);
    const CommonMeta& meta = *node.meta.common;
    Tree in = shape_tree(meta.args);
    output.text += cat(node.name, ":\nin:\n", shape_lines(meta.args));
    for (const auto& [name, value] : meta.constants) {
      output.text += cat(name, " = ", to_python(value), "\n");
      in.set(name, plain_tree(value));
    }
    output.text += cat("out:\n", shape_lines(meta.results), "\n");
    Tree entry =
        Tree::Table{{"name", node.name}, {"in", std::move(in)}, {"out", shape_tree(meta.results)}};
    nodes.push(std::move(entry));
  }
  if (args.flag("explain"))
    output.text +=
        "in: the tensors a node reads, data_in_0 first, then its parameters; arguments that are "
        "no tensors are shown with their value.\n"
        "out: what it makes. The first dimension is the batch (--batch-size); placeholders read "
        "nothing, and the output node repeats what it returns.\n";
  output.info.set("nodes", std::move(nodes));
  return output;
}

}  // namespace

PassDef define() {
  return {.name = "report_node_shape",
          .doc = "list the shapes every node reads and makes",
          .args = {explain_arg()},
          .needs = Needs::Common,
          .run = run};
}

}  // namespace chop::passes::report_node_shape
