// calculate_flops: MACs, FLOPs, BitOPs, parameters, buffers and memory, node by node.
#include "analysis/cost/cost.hpp"
#include "passes/pass_def.hpp"
#include "report/table.hpp"
#include "support/text.hpp"

namespace chop::passes::calculate_flops {
namespace {

Cell number(std::int64_t value) {
  return {value, with_commas(value)};
}

struct Shown {
  bool lab = true;
  bool exact = true;
};

Table table_of(const GraphCost& cost, Shown shown) {
  Table table;
  const auto column = [&table](std::string header) {
    table.columns.push_back({std::move(header), Align::Right});
  };
  table.columns = {{"Node", Align::Left}, {"Op", Align::Left}, {"Precision", Align::Left}};
  column("MACs");
  if (shown.lab) column("FLOPs (lab)");
  if (shown.lab) column("BitOPs (lab)");
  if (shown.exact) column("FLOPs (exact)");
  if (shown.exact) column("BitOPs (exact)");
  if (shown.exact) column("MAC BitOPs");
  for (const char* header :
       {"Parameters", "Backward", "Input", "Output", "Bytes", "Operations/byte"})
    column(header);
  for (const NodeCost& node : cost.nodes) {
    std::vector<Cell> row = {node.name, node.op, node.precision, number(node.arithmetic.macs)};
    if (shown.lab) row.push_back(number(node.lab_flops()));
    if (shown.lab) row.push_back(number(node.lab_bitops()));
    if (shown.exact) row.push_back(number(node.exact_flops()));
    if (shown.exact) row.push_back(number(node.exact_bitops()));
    if (shown.exact) row.push_back(number(node.mac_bitops()));
    row.push_back(number(node.parameters));
    row.push_back(number(node.arithmetic.backward));
    row.push_back(number(node.input_buffer));
    row.push_back(number(node.output_buffer));
    row.push_back(number(node.footprint()));
    row.push_back(Cell(node.intensity(), 2));
    table.rows.push_back(std::move(row));
  }
  return table;
}

std::string bytes(std::int64_t count) {
  return human_bytes(static_cast<std::uint64_t>(count));
}

std::string totals_text(const GraphCost& cost, Shown shown) {
  std::string text =
      cat("Total at batch size ", cost.batch, ": ", with_commas(cost.arithmetic.macs), " MACs, ",
          counted(cost.parameters, "parameter"), ", ", with_commas(cost.arithmetic.backward),
          " backward operations\n");
  const auto line = [&text](std::string_view name, std::int64_t flops, std::int64_t operations,
                            std::int64_t bitops) {
    text += cat(name, with_commas(flops), " FLOPs in float of ", with_commas(operations),
                " operations in all, ", with_commas(bitops), " BitOPs");
  };
  if (shown.lab) {
    line("  lab:    ", cost.lab_flops, cost.arithmetic.lab, cost.lab_bitops);
    text += cost.count_bias ? "; bias counted\n" : "\n";
  }
  if (shown.exact) {
    line("  exact:  ", cost.exact_flops, cost.arithmetic.exact, cost.exact_bitops);
    text += cat(", ", with_commas(cost.mac_bitops), " MAC BitOPs\n");
  }
  return text += cat("  memory: ", bytes(cost.parameter_bytes), " of parameters, ",
                     bytes(cost.activation_bytes), " read and written by the nodes, ",
                     bytes(cost.peak_bytes), " at once, ", Cell(cost.intensity(), 2).text,
                     " operations per byte\n");
}

Tree convention_tree(std::int64_t flops, std::int64_t operations, std::int64_t bitops) {
  return Tree::Table{{"flops", flops}, {"operations", operations}, {"bitops", bitops}};
}

/// What a node and the whole graph have.
template <class AnyCost>
void add_sizes(Tree& tree, const AnyCost& cost) {
  tree.set("total_parameters", cost.parameters);
  tree.set("backward_computations", cost.arithmetic.backward);
  tree.set("input_buffer_size", cost.input_buffer);
  tree.set("output_buffer_size", cost.output_buffer);
  tree.set("parameter_bytes", cost.parameter_bytes);
}

Tree tree_of_node(const NodeCost& node, Shown shown) {
  Tree tree = Tree::Table{{"node", node.name},
                          {"op", node.op},
                          {"precision", node.precision},
                          {"data_in_0_bits", node.data_bits},
                          {"macs", node.arithmetic.macs}};
  if (shown.lab)
    tree.set("lab", convention_tree(node.lab_flops(), node.arithmetic.lab, node.lab_bitops()));
  if (shown.exact) {
    tree.set("exact",
             convention_tree(node.exact_flops(), node.arithmetic.exact, node.exact_bitops()));
    tree.set("mac_bitops", node.mac_bitops());
  }
  add_sizes(tree, node);
  tree.set("input_bytes", node.input_bytes);
  tree.set("output_bytes", node.output_bytes);
  tree.set("memory_footprint", node.footprint());
  tree.set("arithmetic_intensity", node.intensity());
  return tree;
}

Tree tree_of_total(const GraphCost& cost, Shown shown) {
  Tree tree = Tree::Table{{"macs", cost.arithmetic.macs}};
  if (shown.lab)
    tree.set("lab", convention_tree(cost.lab_flops, cost.arithmetic.lab, cost.lab_bitops));
  if (shown.exact) {
    tree.set("exact", convention_tree(cost.exact_flops, cost.arithmetic.exact, cost.exact_bitops));
    tree.set("mac_bitops", cost.mac_bitops);
  }
  add_sizes(tree, cost);
  tree.set("activation_bytes", cost.activation_bytes);
  tree.set("memory_footprint", cost.peak_bytes);
  tree.set("arithmetic_intensity", cost.intensity());
  return tree;
}

Result<PassOutput> run(Graph& graph, const Args& args, const PassContext& context) {
  const std::int64_t batch =
      args.has("batch_size") ? args.integer("batch_size") : context.batch_size;
  const std::string& convention = args.text("convention");
  const Shown shown{.lab = convention != "exact", .exact = convention != "lab"};
  CH_TRY(const GraphCost cost,
         count_costs(graph, {.batch = batch, .count_bias = args.flag("count_bias")}));
  PassOutput output;
  output.text =
      drawn(table_of(cost, shown), TableStyle::Simple, context) + totals_text(cost, shown);
  output.info.set("convention", convention);
  output.info.set("batch_size", batch);
  output.info.set("count_bias", cost.count_bias);
  output.info.set("total", tree_of_total(cost, shown));
  Tree nodes = Tree::list();
  for (const NodeCost& node : cost.nodes) nodes.push(tree_of_node(node, shown));
  output.info.set("nodes", std::move(nodes));
  return output;
}

}  // namespace

PassDef define() {
  return {
      .name = "calculate_flops",
      .doc = "count MACs, FLOPs, BitOPs, parameters, buffers and memory of every node",
      .details =
          "lab counts as the reference system does: one operation per multiply-accumulate, no\n"
          "bias, 4 per element of a batch norm, 5 of a layer norm, 1 of a relu, the window of a\n"
          "pooling. exact counts multiplications and additions apart, and the bias. FLOPs are the\n"
          "operations of nodes whose data_in_0 is a plain float; BitOPs are operations times the\n"
          "width of data_in_0; MAC BitOPs are MACs times the widths of both operands. Input and\n"
          "output are in elements; bytes are those of parameters, inputs and outputs.\n"
          "docs/costs.md has the rule of every op.",
      .args = {{.name = "batch_size",
                .doc = "rows in the first dimension; the run's batch size when absent",
                .kind = FieldKind::Integer,
                .bounds = {.least = 1, .most = 2147483647}},
               {.name = "convention",
                .initial = "both",
                .doc = "how operations are counted",
                .choices = {"lab", "exact", "both"}},
               {.name = "count_bias",
                .initial = false,
                .doc = "let lab count the addition of a bias as well"}},
      .run = run};
}

}  // namespace chop::passes::calculate_flops
