#include "cli/comparison_report.hpp"

#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "formats/registry.hpp"
#include "support/text.hpp"

namespace chop {
namespace {

using Json = nlohmann::ordered_json;

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
  return before == after || before == "float" ? after : cat(before, " -> ", after);
}

Json formats_json(const std::map<std::string, NumberFormat>& formats) {
  Json json = Json::object();
  for (const auto& [operand, format] : formats) json[operand] = display(format);
  return json;
}

Json error_json(const ErrorMeter& error) {
  Json json;
  json["values"] = error.values();
  json["different"] = error.different();
  json["not_finite"] = error.not_finite();
  json["max_abs_error"] = error.max_abs();
  json["mse"] = error.mse();
  json["sqnr_db"] = error.sqnr_db();  // infinite: null
  return json;
}

Json operand_json(const OperandComparison& operand) {
  Json json;
  json["operand"] = operand.operand;
  json["shape"] = operand.shape;
  json["buffer"] = operand.buffer;
  json["format_before"] = display(operand.before);
  json["format_after"] = display(operand.after);
  json.update(error_json(operand.error));
  const auto count = [&](const char* key, const std::optional<std::int64_t>& value) {
    json[key] = value ? Json(*value) : Json();
    json[cat(key, "_share")] = value ? Json(share(*value, operand.error.values())) : Json();
  };
  count("clipped", operand.clipped);
  count("flushed_to_zero", operand.flushed);
  json["bits_before"] = operand.bits_before;
  json["bits_after"] = operand.bits_after;
  return json;
}

Json node_json(const NodeComparison& node) {
  Json json;
  json["node"] = node.name;
  json["type_before"] = node.type_before;
  json["type_after"] = node.type_after;
  json["formats_before"] = formats_json(node.formats_before);
  json["formats_after"] = formats_json(node.formats_after);
  json["changed"] = node.changed();
  json["formats_changed"] = node.formats_changed();
  json["definition_changed"] = node.definition_changed;
  json["values_changed"] = node.values_changed;
  json["mismatches"] = node.mismatches;
  json["operands"] = Json::array();
  for (const OperandComparison& operand : node.operands)
    json["operands"].push_back(operand_json(operand));
  return json;
}

Json unmatched_json(const std::vector<UnmatchedNode>& nodes) {
  Json json = Json::array();
  for (const UnmatchedNode& node : nodes)
    json.push_back({{"node", node.name}, {"type", node.type}});
  return json;
}

std::string unmatched_text(const char* where, const std::vector<UnmatchedNode>& nodes) {
  if (nodes.empty()) return {};
  std::vector<std::string> names;
  for (const UnmatchedNode& node : nodes) names.push_back(cat(node.name, " (", node.type, ")"));
  return cat("Only ", where, ": ", join(names, ", "), "\n");
}

}  // namespace

Table node_table(const Comparison& comparison) {
  Table table{.columns = {{"Node", Align::Left, 0, "node"},
                          {"Before", Align::Left, 0, "type_before"},
                          {"After", Align::Left, 0, "type_after"},
                          {"Format", Align::Left, 60, "format"},
                          {"Changed", Align::Left, 0, "changed"}},
              .rows = {}};
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
                          {"To zero", Align::Right, 0, "flushed_to_zero_share"}},
              .rows = {}};
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
                          {"", Align::Left, 0, "note"}},
              .rows = {}};
  for (std::size_t i = 0; i < outputs.nodes.size(); ++i) {
    const OutputComparison& node = outputs.nodes[i];
    const ErrorMeter& error = node.error;
    table.rows.push_back({node.node, to_string(node.shape), short_number(error.max_abs()),
                          short_number(error.mse()), decibels(error.sqnr_db()),
                          percent(error.different(), error.values()),
                          outputs.first_to_differ == i ? "<- first to differ" : ""});
  }
  return table;
}

Table judgement_table(const JudgedPair& judged, const std::string& heading) {
  const auto row = [](const char* name, double a, double b) {
    return std::vector<Cell>{name, Cell(a, 4), Cell(b, 4), Cell(b - a, 4)};
  };
  Table table{.columns = {{heading, Align::Left, 0, "metric"},
                          {"Before", Align::Right, 0, "before"},
                          {"After", Align::Right, 0, "after"},
                          {"Change", Align::Right, 0, "change"}},
              .rows = {}};
  table.rows.push_back(row("accuracy", judged.before.accuracy(), judged.after.accuracy()));
  table.rows.push_back(row("loss", judged.before.loss, judged.after.loss));
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
      if (operand.error.not_finite() > 0)
        text += cat("Not measured: ", operand.error.not_finite(), " values of ", node.name, ".",
                    operand.operand, " are NaN or infinite\n");
  return text;
}

std::string totals_text(const Comparison& comparison) {
  return cat("Weights: ", with_commas(comparison.weight_bits_before), " bits before, ",
             with_commas(comparison.weight_bits_after), " after, compression ",
             formatted("%.2f", comparison.compression()), "\n");
}

std::string judgement_text(const JudgedPair& judged) {
  const double cost = 100 * (judged.before.accuracy() - judged.after.accuracy());
  if (cost == 0) return "The accuracy is the same\n";
  return cost > 0 ? formatted("Cost: %.2f points of accuracy\n", cost)
                  : formatted("Gain: %.2f points of accuracy\n", -cost);
}

std::string outputs_text(const OutputsComparison& outputs) {
  std::string text;
  for (const std::string& line : outputs.left_out) text += cat("Not compared: ", line, "\n");
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

Json to_json(const Comparison& comparison) {
  Json json;
  json["equal"] = comparison.equal();
  json["nodes"] = Json::array();
  for (const NodeComparison& node : comparison.nodes) json["nodes"].push_back(node_json(node));
  json["only_before"] = unmatched_json(comparison.only_before);
  json["only_after"] = unmatched_json(comparison.only_after);
  json["totals"] = {{"weight_bits_before", comparison.weight_bits_before},
                    {"weight_bits_after", comparison.weight_bits_after},
                    {"compression", comparison.compression()}};
  return json;
}

Json to_json(const OutputsComparison& outputs) {
  Json json;
  json["rows"] = outputs.rows;
  json["first_to_differ"] =
      outputs.first_to_differ ? Json(outputs.nodes[*outputs.first_to_differ].node) : Json();
  json["same_predictions"] = outputs.has_predictions ? Json(outputs.same_predictions) : Json();
  json["same_predictions_share"] =
      outputs.has_predictions ? Json(share(outputs.same_predictions, outputs.rows)) : Json();
  json["left_out"] = outputs.left_out;
  json["nodes"] = Json::array();
  for (const OutputComparison& node : outputs.nodes) {
    Json entry = {{"node", node.node}, {"shape", node.shape}};
    entry.update(error_json(node.error));
    json["nodes"].push_back(std::move(entry));
  }
  return json;
}

Json to_json(const JudgedPair& judged) {
  const auto entry = [](const Metrics& metrics) {
    return Json{{"loss", metrics.loss}, {"accuracy", metrics.accuracy()}};
  };
  Json json;
  json["rows"] = judged.before.rows;
  json["before"] = entry(judged.before);
  json["after"] = entry(judged.after);
  json["accuracy_cost"] = judged.before.accuracy() - judged.after.accuracy();
  return json;
}

}  // namespace chop
