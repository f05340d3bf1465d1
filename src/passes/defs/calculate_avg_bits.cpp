// calculate_avg_bits: bits per value of inputs and weights, averaged over the layers.
//
//   data_avg_bit = Σ bits(data_in_0) · elements(data_in_0) / Σ elements(data_in_0)
//
// and w_avg_bit likewise for weights. The reference system takes for bits the sum of the
// precision list, so that an integer of 8 bits with 4 behind the point counts 12; here it
// counts 8, and 12 under `compat`. What a block of values shares is divided among them.
#include "analysis/cost/average_bits.hpp"
#include "ops/core/registry.hpp"
#include "passes/report_parts.hpp"
#include "report/table.hpp"

namespace chop::passes::calculate_avg_bits {
namespace {

Cell cell_of(std::optional<double> bits) {
  return bits ? Cell(*bits) : Cell();
}

std::string shown(std::optional<double> mean) {
  return mean ? Cell(*mean).text : "none";
}

Result<std::vector<std::string>> wanted_ops(const Args& args) {
  std::vector<std::string> names = args.names("ops");
  for (const std::string& name : names) {
    Result<const OpDef*> op = find_op(name);
    if (!op) return args.wrong("ops", op.error().what, op.error().hint);
  }
  return names;
}

Result<PassOutput> run(Graph& graph, const Args& args, const PassContext& context) {
  CH_TRY(const std::vector<std::string> ops, wanted_ops(args));
  CH_TRY(const Types types, infer_types(graph, context.batch_size));
  Table table{.columns = {{"Node name", Align::Left, 0, "name"},
                          {"Mase op", Align::Left, 0, "mase_op"},
                          {"Data bits", Align::Auto, 0, "data_bits"},
                          {"Weight bits", Align::Auto, 0, "w_bits"}}};
  CH_TRY(const AverageBits bits, average_bits(graph, types, ops));
  for (const LayerBits& layer : bits.layers)
    table.rows.push_back({graph.node(layer.id).name, graph.node(layer.id).op, cell_of(layer.data),
                          cell_of(layer.weight)});

  const bool compat = args.flag("compat");
  PassOutput output{.text = drawn(table, TableStyle::Simple, context)};
  output.info.set("data_avg_bit", bits.data.mean(compat));
  output.info.set("w_avg_bit", bits.weights.mean(compat));
  output.info.set("convention", compat ? "sum_of_precision" : "width");
  for (const bool listed : {false, true}) {
    Tree both = Tree::Table{{"data_avg_bit", bits.data.mean(listed)},
                            {"w_avg_bit", bits.weights.mean(listed)}};
    output.text += cat(
        listed == compat ? "* " : "  ", listed ? "sum of the precision list" : "width", ": data ",
        shown(bits.data.mean(listed)), ", weights ", shown(bits.weights.mean(listed)), "\n");
    output.info.set(listed ? "sum_of_precision" : "width", std::move(both));
  }
  output.info.set("nodes", tree_of(table));
  return output;
}

}  // namespace

PassDef define() {
  return {
      .name = "calculate_avg_bits",
      .doc = "average the bits of inputs and weights over the layers, by their sizes",
      .details =
          "Both conventions are shown, the one chosen with a star: the width of a value, and\n"
          "the sum of its precision list as the reference system has it (integer [8, 4]: 12).",
      .args = {{.name = "compat",
                .initial = false,
                .doc = "report the reference system's number as data_avg_bit and w_avg_bit"},
               {.name = "ops", .initial = counted_ops(), .doc = "the ops whose operands count"}},
      .run = run};
}

}  // namespace chop::passes::calculate_avg_bits
