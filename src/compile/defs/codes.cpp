// Which fixed-point values are kept as quantised integers, one byte each: those that nobody reads
// but convolutions and products of bytes, whose sums of products are whole numbers and exact.
//
//   %q = quantize(%relu)            # u8: no value is negative
//   %pool = max_pool2d(%q)          # u8
//   %conv = conv2d(%pool, %w_q)     its weights lie on a grid of bytes too
//
// A value is coded only together with all values that it was selected from, back to the rounding.
#include "compile/call_facts.hpp"
#include "compile/heads.hpp"
#include "compile/step_def.hpp"
#include "runtime/conv/frozen/apply_epilogue.hpp"

namespace chop::compile::steps::codes {
namespace {

double largest_code(const Grid& grid) {
  return std::max(-static_cast<double>(grid.low), static_cast<double>(grid.high));
}

class CodeFinder {
 public:
  explicit CodeFinder(const State& state)
      : state_(state),
        graph_(state.graph),
        types_(*state.types),
        observed_(state.observed()),
        readers_(readers_of(state.graph)) {}

  std::map<Value, DType> run() const {
    std::set<Value> candidates;
    for (const NodeId id : graph_.order())
      if (multiplies_bytes(id)) candidates.insert(graph_.node(id).inputs[0]);
    std::map<Value, DType> codes;
    for (const Value& value : candidates)
      for (const Value& part : selected_values(value))
        codes[part] = is_never_negative(value) ? DType::U8 : DType::I8;
    return codes;
  }

 private:
  /// Operands 0 and 1 lie on grids of bytes, and no sum of their products overflows.
  bool has_byte_operands(NodeId id) const {
    const Node& node = graph_.node(id);
    if (!is_call(graph_, id) || node.inputs.size() < 2) return false;
    const auto x = grid_of(graph_, types_, node.inputs[0]);
    const auto w = grid_of(graph_, types_, node.inputs[1]);
    if (!x || !w || !fits_byte(*x) || !fits_byte(*w) || w->high > 127) return false;
    // A bias between the steps of the grid would be added to a rounded sum, or rounded with it.
    for (std::size_t i = 2; i < node.inputs.size(); ++i)
      if (!grid_of(graph_, types_, node.inputs[i])) return false;
    const Shape& weight = type_of(types_, node.inputs[1]).shape;
    const double products = static_cast<double>(numel(weight)) /
                            static_cast<double>(std::max<std::int64_t>(1, weight[0]));
    if (products * largest_code(*x) * largest_code(*w) >= 0x1p31) return false;
    const float unscale = x->step * w->step;
    return unscale > 0x1p-100F && unscale < 0x1p100F;
  }

  bool multiplies_bytes(NodeId id) const {
    return has_byte_operands(id) && can_head(state_, id, DType::I8);
  }

  /// The values that would all have to be bytes for `value` to be: selected from each other, the
  /// last one put on its grid. None if somebody reads one of them in float.
  std::vector<Value> selected_values(Value value) const {
    std::vector<Value> line;
    for (NodeId maker = value.node;; maker = value.node) {
      const std::vector<NodeId>& readers = readers_.at(value);
      const bool as_bytes = std::all_of(readers.begin(), readers.end(), [&](NodeId reader) {
        if (!line.empty() && reader == line.back().node) return true;
        return graph_.node(reader).inputs[0] == value && multiplies_bytes(reader);
      });
      if (!as_bytes || observed_.contains(value) || is_constant(state_, value.node)) return {};
      line.push_back(value);
      if (!selects_elements(graph_, types_, maker)) return line;
      if (type_of(types_, value).shape.size() < 3) return {};  // bytes are selected from images
      value = graph_.node(maker).inputs[0];
    }
  }

  bool is_never_negative(Value value) const {
    const Node& node = graph_.node(value.node);
    if (node.opcode != Opcode::CallFunction || value.index != 0) return false;
    std::vector<TensorType> in;
    const KernelCall call = describe_call(graph_, types_, value.node, in);
    const Epilogue epilogue = epilogue_of(call, 0);
    if (!epilogue.empty() && epilogue.back().kind == EpilogueKind::Clamp)
      return epilogue.back().low >= 0;
    if (!epilogue.empty() && epilogue.back().kind == EpilogueKind::Quantise)
      return epilogue.back().grid.low >= 0 || is_never_negative(node.inputs[0]);
    return keeps_range(graph_, types_, value.node) && is_never_negative(node.inputs[0]);
  }

  const State& state_;
  const Graph& graph_;
  const Types& types_;
  std::set<Value> observed_;
  Readers readers_;
};

Status run(State& state) {
  state.schedule.codes = CodeFinder(state).run();
  return {};
}

}  // namespace

StepDef define() {
  return {
      .name = "codes",
      .doc =
          "keep fixed-point values as codes (8-bit integers) where only integer products read them",
      .after = "constants",
      .applies = when_frozen,
      .needs_types = true,
      .run = run};
}

}  // namespace chop::compile::steps::codes
