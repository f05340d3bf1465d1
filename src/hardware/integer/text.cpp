// The text form of integer graphs, for people and golden files.
#include "support/text.hpp"
#include "hardware/integer/op_def.hpp"

namespace chop::hardware {
namespace {

constexpr std::size_t kShort = 8;  ///< entries of a list that is shown in part

std::string list_text(const Codes& codes, Lists lists) {
  std::vector<std::string> parts;
  const bool whole = lists == Lists::Whole || codes.size() <= kShort;
  for (std::size_t i = 0; i < (whole ? codes.size() : kShort); ++i)
    parts.push_back(std::to_string(codes[i]));
  return cat("[", join(parts, ", "), whole ? "" : cat(", ... ", codes.size()), "]");
}

std::string line_of(const IntegerGraph& graph, const IntegerNode& node, Lists lists) {
  std::vector<std::string> parts;
  for (const std::size_t input : node.inputs) parts.push_back(graph.nodes[input].name);
  for (const std::string_view attr : find_integer_op(node.op)->attrs)
    parts.push_back(cat(attr, "=", list_text(node.list(std::string(attr)), lists)));
  const Interval range = node.type.range();
  std::string text = cat("  ", node.name, " = ", node.op, "(", join(parts, ", "), ")", "  # ",
                         to_string(node.type.shape), ", ", width_of(range),
                         range.is_signed() ? " bits signed, frac " : " bits, frac ", node.type.frac,
                         ", ", to_text(range));
  if (!node.comment.empty()) text += cat("; ", node.comment);
  text += "\n";
  if (!node.remark.empty()) text += cat("    # float32: ", node.remark, "\n");
  return text;
}

}  // namespace

std::string print(const IntegerGraph& graph, Lists lists) {
  std::string text = cat("integer graph ", graph.name, " {\n");
  for (const IntegerNode& node : graph.nodes) text += line_of(graph, node, lists);
  std::vector<std::string> outputs;
  for (const std::size_t output : graph.outputs) outputs.push_back(graph.nodes[output].name);
  return text + cat("  output(", join(outputs, ", "), ")\n}\n");
}

}  // namespace chop::hardware
