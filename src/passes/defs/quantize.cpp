// quantize: number formats for the operands of the nodes a configuration selects.
#include "analysis/common_metadata.hpp"
#include "passes/quantise_nodes.hpp"
#include "passes/summarise_quantisation.hpp"

namespace chop::passes::quantize {
namespace {

Result<PassOutput> run(Graph& graph, const Args& args, const PassContext& context) {
  CH_TRY(QuantiseTables tables,
         QuantiseTables::read(args.others(), select_by(args.text("by")), graph, args.source()));
  CH_TRY(const Types types, infer_types(graph, context.batch_size));
  std::vector<OpenFormats> open;
  for (const NodeId id : graph.order()) {
    if (!is_quantisable(graph.node(id))) continue;
    QuantiseConfig* config = tables.find(graph.node(id));
    if (config == nullptr || config->does_nothing()) continue;
    CH_CHECK(quantise_node(graph, id, types, *config, open));
  }
  CH_TRY(std::vector<std::string> warnings, tables.check_used());
  CH_TRY(const CalibrationMethod method, calibration_method(args.text("calibration")));
  CH_TRY(const std::int64_t rows,
         calibrate_formats(graph, open, {.method = method, .quantile = args.real("quantile")},
                           args.integer("num_samples"), context));
  CH_CHECK(describe_nodes(graph, described_batch(graph, context.batch_size)));
  CH_TRY(
      PassOutput output,
      summarise_quantisation(
          graph, context.folder.empty() ? context.folder : context.folder / "quantize", context));
  if (rows > 0)
    output.text += cat("Ranges are chosen from ", shown_rows(rows, context.samples->rows()), "\n");
  output.info.set("calibration_rows", rows);
  output.warnings = std::move(warnings);
  return output;
}

/// All operands of every layer in fixed point.
PassSample sample(std::int64_t width, std::int64_t frac_width, double within) {
  Tree config = Tree::Table{{"name", "integer"}};
  for (const std::string_view operand : kOperandGroups) {
    if (operand == kDataOut) continue;
    config.set(cat(operand, "_width"), width);
    config.set(cat(operand, "_frac_width"), frac_width);
  }
  return {.args = Tree::Table{{"by", "type"}, {"default", Tree::Table{{"config", config}}}},
          .within = within};
}

}  // namespace

PassDef define() {
  Field by = select_by_field();
  by.required = true;
  return {.name = "quantize",
          .doc = "give the operands of selected nodes number formats",
          .details =
              "Each table [passes.quantize.KEY.config] has the name of a format and its keys, each "
              "behind\n"
              "the operand it is for: data_in_width, weight_frac_width, bias_width, "
              "data_out_width. KEY is\n"
              "an op (by = \"type\"), a node (\"name\"), a pattern for whole node names "
              "(\"regex_name\", the\n"
              "first that matches), or default. name = \"NA\" or bypass = true leaves nodes as "
              "they are.\n"
              "A table for a type the network does not have, and a key of default that fits none "
              "of its\n"
              "nodes, are said and passed over: one file may serve many networks.\n"
              "A frac_width that is absent or \"auto\" is chosen from data.",
          .args = {std::move(by),
                   calibration_args()[0],
                   calibration_args()[1],
                   calibration_args()[2],
                   {.name = "report",
                    .initial = true,
                    .doc = "accepted because the reference system has it; tables are always made"}},
          .open = "[passes.quantize.KEY.config], as many as there are KEYs",
          .promise = Promise::NewNumbers,
          .run = run,
          .samples = {sample(12, 8, 0.5), sample(24, 16, 1e-3)}};
}

}  // namespace chop::passes::quantize
