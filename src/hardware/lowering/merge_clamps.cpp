#include "hardware/lowering/merge_clamps.hpp"

#include "hardware/integer/op_def.hpp"
#include "hardware/integer/rounding.hpp"
#include "support/text.hpp"

namespace chop::hardware {
namespace {

constexpr std::size_t kNowhere = std::numeric_limits<std::size_t>::max();

bool is_clamp(const IntegerNode& node) {
  return node.op == "clamp";
}

bool is_requantise(const IntegerNode& node) {
  return node.op == "requantise";
}

/// Whether all of its shifts are 0: it only has bounds.
bool keeps_grid(const IntegerNode& node) {
  const Codes& shift = node.list("shift");
  return std::all_of(shift.begin(), shift.end(), [](std::int64_t s) { return s == 0; });
}

/// What a node makes of one code of element i.
std::int64_t applied(const IntegerNode& node, std::size_t i, std::int64_t x) {
  if (is_requantise(node))
    x = divided(x, static_cast<int>(node.at("shift", i)),
                static_cast<formats::Rounding>(node.list("rounding")[0]));
  return std::clamp(x, node.at("low", i), node.at("high", i));
}

class Merging {
 public:
  explicit Merging(IntegerGraph graph) : graph_(std::move(graph)) {}

  IntegerGraph run() {
    readers_.resize(graph_.nodes.size());
    for (const IntegerNode& node : graph_.nodes)
      for (const std::size_t input : node.inputs) ++readers_[input];
    for (const std::size_t output : graph_.outputs) ++readers_[output];
    for (IntegerNode& node : graph_.nodes) merge(node);
    return without_unread();
  }

 private:
  void merge(IntegerNode& second) {
    if (!is_clamp(second) && !is_requantise(second)) return;
    const std::size_t before = second.inputs[0];
    const IntegerNode& first = graph_.nodes[before];
    if (readers_[before] != 1 || first.type.size() != second.type.size()) return;
    if (is_clamp(first))
      take(second, first, second);
    else if (is_requantise(first) && (is_clamp(second) || keeps_grid(second)))
      take(second, first, first);
    else
      return;
    readers_[before] = 0;
  }

  /// Makes `second` both: the rounding is that of `rounding`, the bounds what becomes of those of
  /// `first`.
  static void take(IntegerNode& second, const IntegerNode& first, const IntegerNode& rounding) {
    std::size_t runs = 1;
    for (const IntegerNode* node : {&first, &std::as_const(second)})
      for (const auto& [name, list] : node->attrs)
        if (list.size() > 1)
          runs = runs == 1 || runs == list.size() ? list.size() : node->type.size();
    IntegerNode made = second;
    made.inputs = first.inputs;
    made.op = rounding.op;
    made.attrs = rounding.attrs;
    made.attrs["low"].clear();
    made.attrs["high"].clear();
    for (std::size_t r = 0; r < runs; ++r) {
      const std::size_t i = r * second.type.size() / runs;
      made.attrs["low"].push_back(applied(second, i, first.at("low", i)));
      made.attrs["high"].push_back(applied(second, i, first.at("high", i)));
    }
    std::vector<std::string> said;
    for (const std::string& comment : {first.comment, second.comment})
      if (!comment.empty()) said.push_back(comment);
    made.comment = join(said, ", ");
    if (made.remark.empty()) made.remark = first.remark;
    second = std::move(made);
  }

  IntegerGraph without_unread() {
    std::vector<std::size_t> moved(graph_.nodes.size(), kNowhere);
    std::vector<IntegerNode> kept;
    for (std::size_t i = 0; i < graph_.nodes.size(); ++i) {
      IntegerNode& node = graph_.nodes[i];
      if (readers_[i] == 0 && (is_clamp(node) || is_requantise(node))) continue;
      moved[i] = kept.size();
      for (std::size_t& input : node.inputs) input = moved[input];
      kept.push_back(std::move(node));
    }
    graph_.nodes = std::move(kept);
    for (IntegerInput& input : graph_.inputs) input.node = moved[input.node];
    for (std::size_t& output : graph_.outputs) output = moved[output];
    for (IntegerNode& node : graph_.nodes)
      if (is_clamp(node) || is_requantise(node))
        node.type.ranges = find_integer_op(node.op)->ranges(call_of(graph_, node));
    return std::move(graph_);
  }

  IntegerGraph graph_;
  std::vector<std::size_t> readers_;
};

}  // namespace

IntegerGraph merge_clamps(IntegerGraph graph) {
  return Merging(std::move(graph)).run();
}

}  // namespace chop::hardware
