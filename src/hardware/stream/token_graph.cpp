#include "hardware/stream/token_graph.hpp"

#include "hardware/integer/op_def.hpp"
#include "support/text.hpp"

namespace chop::hardware {
namespace {

/// The layouts of a node's operands, of which some may be the same value.
std::vector<TokenLayout> operand_layouts(const IntegerNode& node,
                                         std::span<const TokenInput> inputs) {
  std::vector<TokenLayout> layouts;
  for (const std::size_t operand : node.inputs)
    for (const TokenInput& input : inputs)
      if (input.node == operand) layouts.push_back(input.layout);
  assert(layouts.size() == node.inputs.size() && "the inputs are those of the node");
  return layouts;
}

/// Of concatenations and the like: where each channel of a token comes from.
std::optional<Codes> token_index(const IntegerNode& node, std::span<const TokenLayout> operands,
                                 const TokenLayout& layout) {
  const Codes& index = node.list("index");
  Codes chosen;
  for (std::int64_t c = 0; c < layout.channels; ++c)
    for (std::int64_t t = 0; t < layout.tokens(); ++t) {
      std::int64_t element = index[layout.at(c, t)];
      std::int64_t channel = 0;
      for (const TokenLayout& operand : operands) {
        if (element < operand.size()) {
          if (element % operand.tokens() != t) return {};
          channel += element / operand.tokens();
          break;
        }
        element -= operand.size();
        channel += operand.channels;
      }
      if (t == 0) chosen.push_back(channel);
      if (chosen.back() != channel) return {};
    }
  return chosen;
}

}  // namespace

std::optional<IntegerNode> token_node(const IntegerNode& node, std::span<const TokenInput> inputs,
                                      const TokenLayout& layout) {
  const IntegerOpDef& op = *find_integer_op(node.op);
  if (static_cast<std::int64_t>(node.type.size()) != layout.size()) return {};
  for (const TokenInput& input : inputs)
    if (input.layout.tokens() != layout.tokens()) return {};
  IntegerNode own = node;
  own.type = {.shape = {layout.channels}, .frac = node.type.frac};
  if (op.wires != nullptr) {
    const auto index = token_index(node, operand_layouts(node, inputs), layout);
    if (!index) return {};
    own.attrs["index"] = *index;
    return own;
  }
  if (op.runs == nullptr || layout.channels % op.runs(node) != 0) return {};
  return own;
}

TokenGraph::TokenGraph(const IntegerGraph& from, const Word& word,
                       std::span<const TokenInput> inputs, const std::string& name)
    : graph_{.name = cat(plain_name(from.name), "_", plain_name(name), "_core")} {
  std::size_t first = 0;
  for (const TokenInput& input : inputs) {
    const IntegerNode& node = from.nodes[input.node];
    const auto channels = static_cast<std::size_t>(input.layout.channels);
    assert(first + channels <= word.size() && "a word has the channels of its inputs");
    moved_[input.node] = graph_.nodes.size();
    graph_.inputs.push_back({.node = graph_.nodes.size(), .placeholder = node.name});
    IntegerType type{.shape = {input.layout.channels}, .frac = node.type.frac};
    const auto begin = word.begin() + static_cast<std::ptrdiff_t>(first);
    type.ranges.assign(begin, begin + static_cast<std::ptrdiff_t>(channels));
    graph_.nodes.push_back(
        {.name = cat("in_", plain_name(node.name)), .op = "input", .type = std::move(type)});
    first += channels;
  }
  graph_.outputs = {graph_.nodes.size() - 1};
}

Status TokenGraph::add(std::size_t index, IntegerNode node) {
  for (std::size_t& input : node.inputs) input = moved_.at(input);
  node.remark.clear();
  node.type.ranges.assign(static_cast<std::size_t>(numel(node.type.shape)), {});
  const IntegerOpDef& op = *find_integer_op(node.op);
  const IntegerCall call = call_of(graph_, node);
  CH_CHECK(check(op, call));
  node.type.ranges = op.ranges(call);
  graph_.nodes.push_back(std::move(node));
  moved_[index] = graph_.nodes.size() - 1;
  graph_.outputs = {graph_.nodes.size() - 1};
  is_empty_ = false;
  return {};
}

std::string TokenGraph::comment() const {
  std::vector<std::string> names;
  for (const IntegerNode& node : graph_.nodes)
    if (node.op != "input") names.push_back(cat(node.name, " (", node.op, ")"));
  return join(names, ", ");
}

}  // namespace chop::hardware
