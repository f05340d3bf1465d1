// Everything known about one op of integer graphs: what it computes, what range its results have,
// its circuit. The file src/hardware/ops/<name>.cpp defines `IntegerOpDef define()` in namespace
// chop::hardware::integer_ops::<name>; that is its registration.
#pragma once

#include "hardware/integer/integer_graph.hpp"

namespace chop::hardware {

class AigBuilder;
class LayerBuilder;
struct BitWord;
struct LinearMap;
struct Netlist;

/// An element of one of a call's inputs.
struct Wired {
  std::size_t input = 0;
  std::size_t element = 0;
};

struct IntegerCall {
  const IntegerNode& node;
  std::vector<const IntegerType*> in;

  const IntegerType& type() const { return node.type; }
  std::size_t size() const { return node.type.size(); }
};

struct IntegerOpDef {
  std::string_view name;
  std::string_view doc;  ///< formula first, then prose
  std::size_t least_inputs = 1;
  std::size_t most_inputs = 1;  ///< fewer than least_inputs: as many
  /// Of an op whose element i depends on the elements i of its inputs alone: into how many runs of
  /// neighbours its attributes cut the elements, which are treated alike in each. Null: of others.
  std::int64_t (*runs)(const IntegerNode&) = nullptr;
  /// Attributes that it needs, in the order in which they are printed.
  std::vector<std::string_view> attrs = {};
  /// More that must hold of a call, whose inputs have its size if it has `runs`; null: nothing.
  Status (*check)(const IntegerCall&) = nullptr;
  /// The range of each element of the result. Null: that of the node is given (inputs).
  std::vector<Interval> (*ranges)(const IntegerCall&) = nullptr;
  void (*evaluate)(const IntegerCall&, std::span<const Codes* const> in, Codes& out) = nullptr;
  /// Of an op that only moves codes: where each element of its result comes from.
  std::vector<Wired> (*wires)(const IntegerCall&) = nullptr;
  /// The circuit of any other.
  void (*build)(LayerBuilder&) = nullptr;
  /// Of an op whose element depends on few elements of its inputs: which; null: of others.
  std::vector<Wired> (*reads)(const IntegerCall&, std::size_t element) = nullptr;
  /// Of an op that multiplies windows of its input by one constant matrix: that matrix.
  LinearMap (*matrix)(const IntegerNode&) = nullptr;
  /// A proof, for all inputs, that a module of a netlist is this call; null: there is none.
  Status (*prove)(const IntegerCall&, const Netlist&, std::size_t module) = nullptr;

  /// What is true of the elements of inputs and result if and only if the op made the latter, as
  /// literals of an and-inverter graph; null: not said. Not the way in which the circuit does it.
  std::vector<std::uint32_t> (*holds)(const IntegerCall&, AigBuilder&, std::span<const BitWord> in,
                                      std::span<const BitWord> out) = nullptr;

  /// Element i of the result depends on element i of its one input alone.
  bool is_elementwise() const { return runs != nullptr && least_inputs == 1; }
};

std::span<const IntegerOpDef> all_integer_ops();
/// The op of that name, or null.
const IntegerOpDef* find_integer_op(std::string_view name);

/// The entries of a node's longest attribute.
std::int64_t longest_attribute(const IntegerNode& node);

IntegerCall call_of(const IntegerGraph& graph, const IntegerNode& node);
/// Whether an op takes a call.
Status check(const IntegerOpDef& op, const IntegerCall& call);

}  // namespace chop::hardware
