// Matches nodes by name and compares their ops, attributes, inputs and formats, and the weights
// after their formats.
#include "analysis/compare/compare.hpp"

#include <set>

#include "analysis/compare/quantisation_summary.hpp"
#include "formats/quantiser.hpp"
#include "formats/registry.hpp"
#include "ops/core/quantise.hpp"
#include "ops/core/registry.hpp"
#include "support/text.hpp"

namespace chop::analysis {
namespace {

/// A parameter a node reads, by the name of the operand.
struct OwnedOperand {
  std::string operand;
  const Parameter* parameter;
};

std::vector<OwnedOperand> owned_operands(const Graph& graph, const Node& node) {
  std::vector<OwnedOperand> owned;
  if (node.opcode == Opcode::GetAttr) {
    owned.push_back({"value", graph.find_parameter(node.target)});
    return owned;
  }
  if (node.opcode != Opcode::CallModule) return owned;
  const OpDef& op = op_of(node);
  for (const ParamDef& def : op.params)
    if (is_present(def, {op, node.attrs}))
      owned.push_back(
          {std::string(def.name), graph.find_parameter(cat(node.target, ".", def.name))});
  return owned;
}

NumberFormat format_of(const Node& node, const std::string& operand) {
  const auto found = node.formats.find(operand);
  return found == node.formats.end() ? NumberFormat{} : found->second;
}

std::map<std::string, NumberFormat> formats_of(const Node& node) {
  std::map<std::string, NumberFormat> formats = node.formats;
  std::erase_if(formats, [](const auto& entry) { return entry.second.is_plain(); });
  return formats;
}

/// The learned parameter of an operand's format; empty if it has none.
std::vector<float> learned_values(const Graph& graph, const Node& node, const std::string& operand,
                                  const NumberFormat& format) {
  const std::string_view learned = find_format(format.name).value()->learned;
  if (learned.empty()) return {};
  const Parameter* parameter = graph.find_parameter(learned_parameter(node, operand, learned));
  if (parameter == nullptr) return {};
  const Tensor values = parameter->value.to(DType::F32);
  return {values.data<float>().begin(), values.data<float>().end()};
}

Result<EffectiveOperand> effective(const Graph& graph, const Node& node,
                                   const OwnedOperand& owned) {
  EffectiveOperand result{.format = format_of(node, owned.operand),
                          .stored = owned.parameter->value.to(DType::F32),
                          .effective = {}};
  result.effective = result.stored;
  if (result.format.is_plain()) return result;
  const std::vector<float> learned = learned_values(graph, node, owned.operand, result.format);
  // The same seed as in the call that `lower` adds, so that random formats draw the same numbers.
  const std::string call = ops::quantise_name(node, owned.operand);
  Result<Tensor> made = quantise(result.format, result.stored,
                                 {.learned = learned, .seed = ops::quantise_seed({}, call)});
  if (!made) return std::move(made).error().note(cat("operand ", owned.operand, " of ", node.name));
  result.effective = std::move(made).value();
  return result;
}

/// The range beyond which values are clipped. Nothing when it depends on each group's values.
std::optional<Range> fixed_range(const Graph& graph, const Node& node, const std::string& operand,
                                 const NumberFormat& format) {
  const Result<Range> found = range_of(format);
  if (!found) return {};
  Range range = found.value();
  if (!range.relative) return range;
  const std::vector<float> learned = learned_values(graph, node, operand, format);
  if (learned.size() != 1) return {};
  range.lowest *= static_cast<double>(learned[0]);
  range.highest *= static_cast<double>(learned[0]);
  return range;
}

void count_losses(const Graph& graph, const Node& node, const EffectiveOperand& values,
                  OperandComparison& into) {
  if (values.format.is_plain()) return;
  const auto x = values.stored.data<float>();
  const auto q = values.effective.data<float>();
  std::int64_t flushed = 0;
  for (std::size_t i = 0; i < x.size(); ++i) flushed += x[i] != 0 && q[i] == 0 ? 1 : 0;
  into.flushed = flushed;
  const auto range = fixed_range(graph, node, into.operand, values.format);
  if (!range) return;
  into.clipped = std::count_if(x.begin(), x.end(), [&range](float value) {
    return static_cast<double>(value) < range->lowest ||
           static_cast<double>(value) > range->highest;
  });
}

Result<std::int64_t> stored_bits(const NumberFormat& format, const Tensor& value) {
  if (format.is_plain()) return static_cast<std::int64_t>(value.size_in_bytes()) * 8;
  return total_bits(format, value.shape());
}

struct Side {
  const Graph& graph;
  const Node& node;
};

Result<OperandComparison> compare_operand(const Side& a, const OwnedOperand& in_a, const Side& b,
                                          const OwnedOperand& in_b) {
  OperandComparison found{.operand = in_a.operand,
                          .shape = in_a.parameter->value.shape(),
                          .buffer = !in_a.parameter->trainable,
                          .before = format_of(a.node, in_a.operand),
                          .after = format_of(b.node, in_b.operand),
                          .error = {},
                          .clipped = {},
                          .flushed = {}};
  CH_TRY(const EffectiveOperand before, effective(a.graph, a.node, in_a));
  CH_TRY(const EffectiveOperand after, effective(b.graph, b.node, in_b));
  found.error.add(before.effective.data<float>().data(), after.effective.data<float>().data(),
                  before.effective.size());
  count_losses(b.graph, b.node, after, found);
  CH_TRY(found.bits_before, stored_bits(found.before, in_a.parameter->value));
  CH_TRY(found.bits_after, stored_bits(found.after, in_b.parameter->value));
  return found;
}

Status compare_operands(const Side& a, const Side& b, NodeComparison& into) {
  const std::vector<OwnedOperand> in_a = owned_operands(a.graph, a.node);
  std::vector<OwnedOperand> in_b = owned_operands(b.graph, b.node);
  for (const OwnedOperand& owned : in_a) {
    const auto other = std::find_if(in_b.begin(), in_b.end(), [&owned](const OwnedOperand& o) {
      return o.operand == owned.operand;
    });
    if (other == in_b.end()) {
      into.mismatches.push_back(cat(owned.operand, " is there before, not after"));
      continue;
    }
    const Tensor& x = owned.parameter->value;
    const Tensor& y = other->parameter->value;
    if (x.shape() != y.shape()) {
      into.mismatches.push_back(cat(owned.operand, " is ", to_string(x.shape()), " before, ",
                                    to_string(y.shape()), " after"));
    } else {
      into.values_changed = into.values_changed || !(x == y);
      CH_TRY(OperandComparison found, compare_operand(a, owned, b, *other));
      into.operands.push_back(std::move(found));
    }
    in_b.erase(other);
  }
  for (const OwnedOperand& rest : in_b)
    into.mismatches.push_back(cat(rest.operand, " is there after, not before"));
  into.values_changed = into.values_changed || !into.mismatches.empty();
  return {};
}

std::vector<std::string> inputs_of(const Side& side) {
  std::vector<std::string> names;
  for (const Value& input : side.node.inputs)
    names.push_back(cat(side.graph.node(input.node).name, ":", input.index));
  return names;
}

/// "shape=[-1, 16]"
std::string shown_attrs(const Node& node) {
  std::vector<std::string> parts;
  for (const auto& [key, value] : node.attrs) parts.push_back(cat(key, "=", to_text(value)));
  return join(parts, ", ");
}

Result<NodeComparison> compare_nodes(const Side& a, const Side& b) {
  NodeComparison found{.name = a.node.name,
                       .type_before = quantised_type(a.node),
                       .type_after = quantised_type(b.node),
                       .formats_before = formats_of(a.node),
                       .formats_after = formats_of(b.node)};
  found.definition_changed = a.node.op != b.node.op || !same_bits(a.node.attrs, b.node.attrs) ||
                             inputs_of(a) != inputs_of(b);
  CH_CHECK(compare_operands(a, b, found));
  if (a.node.opcode == Opcode::Placeholder && found.definition_changed)
    found.mismatches.push_back(
        cat("it is ", shown_attrs(a.node), " before, ", shown_attrs(b.node), " after"));
  return found;
}

/// Each trainable parameter once, in the format of its first reader.
Result<std::int64_t> weight_bits(const Graph& graph) {
  std::int64_t bits = 0;
  std::set<std::string> counted;
  for (const NodeId id : graph.order()) {
    const Node& node = graph.node(id);
    for (const OwnedOperand& owned : owned_operands(graph, node)) {
      if (!owned.parameter->trainable || !counted.insert(owned.parameter->name).second) continue;
      CH_TRY(const std::int64_t more,
             stored_bits(format_of(node, owned.operand), owned.parameter->value));
      bits += more;
    }
  }
  return bits;
}

}  // namespace

bool Comparison::equal() const {
  return only_before.empty() && only_after.empty() &&
         std::none_of(nodes.begin(), nodes.end(),
                      [](const NodeComparison& node) { return node.changed(); });
}

double Comparison::compression() const {
  return weight_bits_after == 0
             ? 1
             : static_cast<double>(weight_bits_before) / static_cast<double>(weight_bits_after);
}

Result<Comparison> compare_graphs(const Graph& before, const Graph& after) {
  Comparison found;
  for (const NodeId id : before.order()) {
    const Node& node = before.node(id);
    const std::optional<NodeId> other = after.find(node.name);
    if (!other) {
      found.only_before.push_back({node.name, quantised_type(node)});
      continue;
    }
    CH_TRY(NodeComparison matched, compare_nodes({before, node}, {after, after.node(*other)}));
    found.nodes.push_back(std::move(matched));
  }
  for (const NodeId id : after.order())
    if (const Node& node = after.node(id); !before.find(node.name))
      found.only_after.push_back({node.name, quantised_type(node)});
  CH_TRY(found.weight_bits_before, weight_bits(before));
  CH_TRY(found.weight_bits_after, weight_bits(after));
  return found;
}

bool has_formats(const Graph& graph) {
  return std::any_of(graph.order().begin(), graph.order().end(),
                     [&graph](NodeId id) { return is_quantised(graph.node(id)); });
}

Graph without_formats(Graph graph) {
  for (const NodeId id : graph.order()) {
    Node& node = graph.node(id);
    for (const auto& [operand, format] : node.formats) {
      const Result<const FormatDef*> def = find_format(format.name);
      if (!def || def.value()->learned.empty()) continue;
      const std::string name = learned_parameter(node, operand, def.value()->learned);
      if (graph.find_parameter(name) != nullptr) graph.erase_parameter(name);
    }
    node.formats.clear();
  }
  return graph;
}

Result<EffectiveOperand> effective_operand(const Graph& graph, const std::string& node,
                                           const std::string& operand) {
  const std::optional<NodeId> id = graph.find(node);
  std::vector<std::string> names;
  if (!id) {
    for (const NodeId known : graph.order())
      if (!owned_operands(graph, graph.node(known)).empty())
        names.push_back(graph.node(known).name);
    return Error{.what = cat("graph '", graph.name(), "' has no node '", node, "'"),
                 .hint = names.empty() ? "none of its nodes has weights"
                                       : cat(did_you_mean(node, names), "nodes with weights are ",
                                             join(names, ", "))};
  }
  for (const OwnedOperand& owned : owned_operands(graph, graph.node(*id))) {
    if (owned.operand == operand) return effective(graph, graph.node(*id), owned);
    names.push_back(owned.operand);
  }
  return Error{.what = cat("node '", node, "' (", quantised_type(graph.node(*id)), ") has no ",
                           operand.empty() ? "weights" : cat("operand '", operand, "' to show")),
               .hint = names.empty() ? "it owns no parameters"
                                     : cat(did_you_mean(operand, names), "--operand is one of ",
                                           join(names, ", "))};
}

}  // namespace chop::analysis
