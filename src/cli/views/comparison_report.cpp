#include "cli/views/comparison_report.hpp"

#include <cstdio>

#include "formats/registry.hpp"
#include "support/text.hpp"

namespace chop::cli {
namespace {

std::string formatted(const char* pattern, double value) {
  std::string text(48, '\0');
  const int length = std::snprintf(text.data(), text.size(), pattern, value);
  text.resize(static_cast<std::size_t>(length));
  return text;
}

/// Four significant digits: 0.03125, 2.123e-05.
Cell short_number(double value) {
  return {value, formatted("%.4g", value)};
}

Cell decibels(double value) {
  if (std::isnan(value)) return {Cell::Value(), "-"};
  return {value, std::isinf(value) ? (value > 0 ? "inf" : "-inf") : formatted("%.2f", value)};
}

double share(std::int64_t part, std::int64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

Cell percent(const std::optional<std::int64_t>& part, std::int64_t whole) {
  if (!part) return {Cell::Value(), "-"};
  return {share(*part, whole), formatted("%.2f %%", 100 * share(*part, whole))};
}

/// "float -> integer(8, 4)" where it changed and there was one before, else what there is.
std::string change(const std::string& before, const std::string& after) {
  return before == after || before == display_formats({}) ? after : cat(before, " -> ", after);
}

Tree formats_tree(const std::map<std::string, NumberFormat>& formats) {
  Tree tree = Tree::table();
  for (const auto& [operand, format] : formats) tree.set(operand, display(format));
  return tree;
}

void add_error(Tree& tree, const ErrorMeter& error) {
  tree["values"] = error.values();
  tree["different"] = error.different();
  tree["not_finite"] = error.not_finite();
  tree["max_abs_error"] = error.max_abs();
  tree["mse"] = error.mse();
  tree["sqnr_db"] = error.sqnr_db();  // infinite or NaN: null in JSON
}

Tree operand_tree(const OperandComparison& operand) {
  Tree tree = Tree::Table{{"operand", operand.operand},
                          {"shape", operand.shape},
                          {"buffer", operand.buffer},
                          {"format_before", display(operand.before)},
                          {"format_after", display(operand.after)}};
  add_error(tree, operand.error);
  const auto count = [&](const char* key, const std::optional<std::int64_t>& value) {
    tree[key] = value;
    tree[cat(key, "_share")] = value ? Tree(share(*value, operand.error.values())) : Tree();
  };
  count("clipped", operand.clipped);
  count("flushed_to_zero", operand.flushed);
  tree["bits_before"] = operand.bits_before;
  tree["bits_after"] = operand.bits_after;
  return tree;
}

Tree node_tree(const NodeComparison& node) {
  Tree tree;
  tree["node"] = node.name;
  tree["type_before"] = node.type_before;
  tree["type_after"] = node.type_after;
  tree["formats_before"] = formats_tree(node.formats_before);
  tree["formats_after"] = formats_tree(node.formats_after);
  tree["changed"] = node.changed();
  tree["formats_changed"] = node.formats_changed();
  tree["definition_changed"] = node.definition_changed;
  tree["values_changed"] = node.values_changed;
  tree["mismatches"] = node.mismatches;
  tree["operands"] = Tree::list();
  for (const OperandComparison& operand : node.operands)
    tree["operands"].push(operand_tree(operand));
  return tree;
}

Tree unmatched_tree(const std::vector<UnmatchedNode>& nodes) {
  Tree list = Tree::list();
  for (const UnmatchedNode& node : nodes)
    list.push(Tree::Table{{"node", node.name}, {"type", node.type}});
  return list;
}

std::string unmatched_text(const char* where, const std::vector<UnmatchedNode>& nodes) {
  if (nodes.empty()) return {};
  std::vector<std::string> names;
  for (const UnmatchedNode& node : nodes) names.push_back(cat(node.name, " (", node.type, ")"));
  return cat("Only ", where, ": ", join(names, ", "), "\n");
}

std::string not_measured_text(const ErrorMeter& error, const std::string& what) {
  if (error.not_finite() == 0) return "";
  return cat("Not measured: ", error.not_finite(), " values of ", what, " are NaN or infinite\n");
}

}  // namespace

Table node_table(const Comparison& comparison) {
  Table table{.columns = {{"Node", Align::Left, 0, "node"},
                          {"Before", Align::Left, 0, "type_before"},
                          {"After", Align::Left, 0, "type_after"},
                          {"Format", Align::Left, 60, "format"},
                          {"Changed", Align::Left, 0, "changed"}}};
  for (const NodeComparison& node : comparison.nodes) {
    const bool plain = node.formats_before.empty() && node.formats_after.empty();
    table.rows.push_back(
        {node.name, node.type_before, node.type_after,
         plain ? std::string()
               : change(display_formats(node.formats_before), display_formats(node.formats_after)),
         Cell(Cell::Value(node.changed()), node.changed() ? "yes" : "no")});
  }
  return table;
}

Table operand_table(const Comparison& comparison) {
  Table table{.columns = {{"Node", Align::Left, 0, "node"},
                          {"Operand", Align::Left, 0, "operand"},
                          {"Format", Align::Left, 0, "format"},
                          {"Max error", Align::Right, 0, "max_abs_error"},
                          {"MSE", Align::Right, 0, "mse"},
                          {"SQNR dB", Align::Right, 0, "sqnr_db"},
                          {"Clipped", Align::Right, 0, "clipped_share"},
                          {"To zero", Align::Right, 0, "flushed_to_zero_share"}}};
  for (const NodeComparison& node : comparison.nodes)
    for (const OperandComparison& operand : node.operands) {
      if (operand.buffer && operand.error.different() == 0) continue;
      const ErrorMeter& error = operand.error;
      table.rows.push_back(
          {node.name, operand.operand, change(display(operand.before), display(operand.after)),
           short_number(error.max_abs()), short_number(error.mse()), decibels(error.sqnr_db()),
           percent(operand.clipped, error.values()), percent(operand.flushed, error.values())});
    }
  return table;
}

Table output_table(const OutputsComparison& outputs) {
  Table table{.columns = {{"Output of", Align::Left, 0, "node"},
                          {"Sample", Align::Left, 0, "shape"},
                          {"Max difference", Align::Right, 0, "max_abs_error"},
                          {"MSE", Align::Right, 0, "mse"},
                          {"SQNR dB", Align::Right, 0, "sqnr_db"},
                          {"Different", Align::Right, 0, "different_share"},
                          {"", Align::Left, 0, "note"}}};
  for (std::size_t i = 0; i < outputs.nodes.size(); ++i) {
    const OutputComparison& node = outputs.nodes[i];
    const ErrorMeter& error = node.error;
    table.rows.push_back({node.node, to_string(node.shape), short_number(error.max_abs()),
                          short_number(error.mse()), decibels(error.sqnr_db()),
                          percent(error.different(), error.values()),
                          outputs.first_to_differ == i ? "<- first" : ""});
  }
  return table;
}

Table accuracy_table(const MetricsPair& metrics, const std::string& heading) {
  const auto row = [](const char* name, double a, double b) {
    return std::vector<Cell>{name, Cell(a, 4), Cell(b, 4), Cell(b - a, 4)};
  };
  Table table{.columns = {{heading, Align::Left, 0, "metric"},
                          {"Before", Align::Right, 0, "before"},
                          {"After", Align::Right, 0, "after"},
                          {"Change", Align::Right, 0, "change"}}};
  table.rows.push_back(row("accuracy", metrics.before.accuracy(), metrics.after.accuracy()));
  table.rows.push_back(row("loss", metrics.before.loss, metrics.after.loss));
  return table;
}

std::string notes_text(const Comparison& comparison) {
  std::string text = unmatched_text("before", comparison.only_before) +
                     unmatched_text("after", comparison.only_after);
  for (const NodeComparison& node : comparison.nodes)
    for (const std::string& mismatch : node.mismatches)
      text += cat("Not compared: ", node.name, ": ", mismatch, "\n");
  for (const NodeComparison& node : comparison.nodes)
    for (const OperandComparison& operand : node.operands)
      text += not_measured_text(operand.error, cat(node.name, ".", operand.operand));
  return text;
}

std::string totals_text(const Comparison& comparison) {
  return cat("Weights: ", with_commas(comparison.weight_bits_before), " bits before, ",
             with_commas(comparison.weight_bits_after), " after, compression ",
             formatted("%.2f", comparison.compression()), "\n");
}

std::string accuracy_text(const MetricsPair& metrics) {
  const double cost = 100 * (metrics.before.accuracy() - metrics.after.accuracy());
  if (cost == 0) return "The accuracy is the same\n";
  return cost > 0 ? formatted("Cost: %.2f points of accuracy\n", cost)
                  : formatted("Gain: %.2f points of accuracy\n", -cost);
}

std::string outputs_text(const OutputsComparison& outputs) {
  std::string text;
  for (const std::string& line : outputs.left_out) text += cat("Not compared: ", line, "\n");
  for (const OutputComparison& node : outputs.nodes)
    text += not_measured_text(node.error, cat("the output of ", node.node));
  if (outputs.first_to_differ)
    text += cat("Outputs first differ at ", outputs.nodes[*outputs.first_to_differ].node, "\n");
  else if (!outputs.nodes.empty())
    text += "All outputs are equal\n";
  if (outputs.has_predictions)
    text += cat("Equal predictions: ", with_commas(outputs.same_predictions), " of ",
                with_commas(outputs.rows), " rows, ",
                formatted("%.2f %%", 100 * share(outputs.same_predictions, outputs.rows)), "\n");
  return text;
}

Tree tree_of(const Comparison& comparison) {
  Tree tree;
  tree["equal"] = comparison.equal();
  tree["nodes"] = Tree::list();
  for (const NodeComparison& node : comparison.nodes) tree["nodes"].push(node_tree(node));
  tree["only_before"] = unmatched_tree(comparison.only_before);
  tree["only_after"] = unmatched_tree(comparison.only_after);
  tree["totals"] = Tree::Table{{"weight_bits_before", comparison.weight_bits_before},
                               {"weight_bits_after", comparison.weight_bits_after},
                               {"compression", comparison.compression()}};
  return tree;
}

Tree tree_of(const OutputsComparison& outputs) {
  Tree tree;
  tree["rows"] = outputs.rows;
  tree["first_to_differ"] =
      outputs.first_to_differ ? Tree(outputs.nodes[*outputs.first_to_differ].node) : Tree();
  tree["same_predictions"] = outputs.has_predictions ? Tree(outputs.same_predictions) : Tree();
  tree["same_predictions_share"] =
      outputs.has_predictions ? Tree(share(outputs.same_predictions, outputs.rows)) : Tree();
  tree["left_out"] = outputs.left_out;
  tree["nodes"] = Tree::list();
  for (const OutputComparison& node : outputs.nodes) {
    Tree entry = Tree::Table{{"node", node.node}, {"shape", node.shape}};
    add_error(entry, node.error);
    tree["nodes"].push(std::move(entry));
  }
  return tree;
}

Tree tree_of(const MetricsPair& metrics) {
  const auto entry = [](const Metrics& one) {
    return Tree::Table{{"loss", one.loss}, {"accuracy", one.accuracy()}};
  };
  return Tree::Table{{"rows", metrics.before.rows},
                     {"before", entry(metrics.before)},
                     {"after", entry(metrics.after)},
                     {"accuracy_cost", metrics.before.accuracy() - metrics.after.accuracy()}};
}

}  // namespace chop::cli
