// A network in whole numbers: the definition that circuits and other integer code are held against.
//
// Every value is a tensor of codes for one sample, the number being code · 2^-frac, and every
// element has a range that is proven from the formats and the weights. Nodes are in topological
// order. What an op means stands in its definition (hardware/ops), never here.
#pragma once

#include "hardware/integer/range.hpp"
#include "ir/graph.hpp"

namespace chop::hardware {

using Codes = std::vector<std::int64_t>;

struct IntegerType {
  Shape shape = {};  ///< of one sample, without the batch
  int frac = 0;  ///< bits after the binary point; negative where codes are multiples of 2, 4 ...
  std::vector<Interval> ranges = {};  ///< one per element

  std::size_t size() const { return ranges.size(); }
  /// The least range that holds all elements.
  Interval range() const;
  bool operator==(const IntegerType&) const = default;
};

struct IntegerNode {
  std::string name;  ///< that of the node of the network it comes from
  std::string op;
  std::vector<std::size_t> inputs = {};
  std::map<std::string, Codes> attrs = {};
  IntegerType type = {};
  std::string comment = {};  ///< what it was: op, formats
  std::string remark = {};   ///< where the float32 run may differ from these numbers, and why

  bool has(const std::string& attr) const { return attrs.contains(attr); }
  const Codes& list(const std::string& attr) const { return attrs.at(attr); }
  /// Entry `element` of an attribute that has one entry, one per channel, or one per element: an
  /// entry for each run of neighbours.
  std::int64_t at(const std::string& attr, std::size_t element) const;
  bool operator==(const IntegerNode&) const = default;
};

/// Who makes the codes of an input: the network's placeholder, read through a format.
struct IntegerInput {
  std::size_t node = 0;
  std::string placeholder;
  NumberFormat format;
  double step = 1;  ///< of a format with any scale: its number is code · step

  bool operator==(const IntegerInput&) const = default;
};

struct IntegerGraph {
  std::string name;
  std::vector<IntegerNode> nodes = {};
  std::vector<IntegerInput> inputs = {};
  std::vector<std::size_t> outputs = {};

  bool operator==(const IntegerGraph&) const = default;
};

/// The text form, one node a line; long lists only with `values`.
enum class Lists : std::uint8_t { Short, Whole };
std::string print(const IntegerGraph& graph, Lists lists = Lists::Short);

/// Known ops, inputs before their readers, attributes as the ops want them, and ranges that follow
/// from those of the inputs and leave room in 64 bits.
Status verify(const IntegerGraph& graph);

/// The same with the number of the greatest element as its output, instead of the elements; an
/// error where it has more than one output.
Result<IntegerGraph> with_argmax(IntegerGraph graph);

/// Runs an integer graph sample by sample.
class Interpreter {
 public:
  /// The graph must outlive it.
  explicit Interpreter(const IntegerGraph& graph);
  ~Interpreter();

  /// The codes of one sample, an entry of `inputs` for each input of the graph; returns those of
  /// the outputs, one after the other.
  const Codes& run(std::span<const Codes> inputs);
  /// What a node had in the last run.
  const Codes& value(std::size_t node) const { return values_[node]; }

 private:
  struct Step;

  const IntegerGraph& graph_;
  std::vector<Codes> values_;
  std::vector<Step> steps_;
  Codes outputs_;
};

}  // namespace chop::hardware
