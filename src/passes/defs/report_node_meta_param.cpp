// report_node_meta_param: everything the passes so far have written about every node.
#include "compat/python_pprint.hpp"
#include "passes/report_parts.hpp"
#include "report/table.hpp"

namespace chop::passes::report_node_meta_param {
namespace {

struct Which {
  bool common = false;
  bool hardware = false;
  bool software = false;
};

Which wanted(const Args& args) {
  const std::vector<std::string> names = args.names("which");
  const auto has = [&names](std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end() ||
           std::find(names.begin(), names.end(), "all") != names.end();
  };
  return {has("common"), has("hardware"), has("software")};
}

/// torch.float32 is an object in Python, not a text.
bool is_dtype(std::string_view text) {
  return text.starts_with("torch.") && text.find(' ') == std::string_view::npos;
}

template <class Meta>
Tree tree_or_empty(const std::optional<Meta>& meta) {
  return meta ? tree_of(*meta) : Tree::table();
}

Result<PassOutput> run(Graph& graph, const Args& args, const PassContext& context) {
  const Which which = wanted(args);
  Table table{.columns = {{"Node name"}, {"Fx Node op"}, {"Mase type"}, {"Mase op"}}};
  if (which.common) table.columns.push_back({"Common Param"});
  if (which.hardware) table.columns.push_back({"Hardware Param"});
  if (which.software) table.columns.push_back({"Software Param"});
  Tree nodes = Tree::list();
  for (const NodeId id : graph.order()) {
    const Node& node = graph.node(id);
    const CommonMeta& common = *node.meta.common;
    table.rows.push_back({node.name, name_of(node.opcode), common.mase_type, common.mase_op});
    Tree entry = Tree::Table{{"name", node.name}, {"op", name_of(node.opcode)}};
    const auto add = [&](std::string_view key, bool want, const Tree& meta) {
      if (!want) return;
      table.rows.back().emplace_back(python_pformat(meta, {.is_bare = is_dtype}));
      entry.set(key, meta);
    };
    add("common", which.common, tree_of(common));
    add("hardware", which.hardware, tree_or_empty(node.meta.hardware));
    add("software", which.software, tree_or_empty(node.meta.software));
    nodes.push(std::move(entry));
  }
  PassOutput output{.text = drawn(table, TableStyle::Grid, context)};
  if (args.has("save_path"))
    CH_CHECK(deliver(output.text, args.text("save_path"), context, output));
  if (args.flag("explain")) output.text += explain_columns();
  output.info.set("nodes", std::move(nodes));
  return output;
}

}  // namespace

PassDef define() {
  return {.name = "report_node_meta_param",
          .doc = "tabulate the metadata of every node",
          .details =
              "common: type, op, shapes, precisions. software: statistics, one entry per\n"
              "operand. hardware: where a node is placed; empty until it is.",
          .args = {{.name = "which",
                    .initial = Tree::List{"all"},
                    .doc = "the parts to show",
                    .choices = {"all", "common", "hardware", "software"}},
                   {.name = "save_path", .doc = "write the table there as well"},
                   explain_arg()},
          .needs = Needs::Common,
          .run = run};
}

}  // namespace chop::passes::report_node_meta_param
