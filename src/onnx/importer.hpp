// Builds a Graph from the operators of an ONNX file.
//
// Constants are folded (constant_folding.cpp).
//
// Shapes are inferred at two batch sizes at once, 2 and 3: a dimension that is 2 in one and 3 in
// the other is the batch, one that is 64 in both is 64
// (docs/decisions/0014-shapes-at-two-batch-sizes.md).
//
// The number format of a quantised value is kept with it until a node reads it, and then becomes
// the format of that operand.
//
// As with GraphBuilder, errors need no checks after each call: the first one is kept, later calls
// do nothing, and finish() returns it.
#pragma once

#include <deque>
#include <functional>
#include <set>

#include "ops/core/infer.hpp"

namespace chop::onnx {

/// A value of the network being imported: a constant, a value of the graph, or both.
enum class ImportValue : std::uint32_t {};
constexpr ImportValue kNone{0xFFFFFFFFU};

/// A tensor whose value is known at import, at each of the two batch sizes.
struct Constant {
  std::array<Tensor, 2> at;

  explicit Constant(const Tensor& tensor) : at{tensor, tensor} {}
  Constant(Tensor first, Tensor second) : at{std::move(first), std::move(second)} {}
  bool is_fixed() const { return at[0] == at[1]; }
};

/// Whether a value may have this shape: no negative dimension, not too many of them, and not too
/// many elements to count.
bool is_possible(const Shape& shape);

class Importer {
 public:
  /// The two batch sizes, used where the first dimension of an input is open.
  static constexpr std::array<std::int64_t, 2> kBatches = {2, 3};
  /// The budget for constant folding that every file has, whatever its size.
  static constexpr std::int64_t kFreeElements = std::int64_t{1} << 23;
  static constexpr std::int64_t kFreeWork = std::int64_t{1} << 28;

  explicit Importer(std::string name) : graph_(std::move(name)) {}

  /// A placeholder; -1 as the first dimension is the batch.
  ImportValue input(const std::string& name, Shape shape, DType dtype);
  /// A constant. One with a name becomes a parameter of that name when a node reads it.
  ImportValue constant(Tensor tensor, std::string name = "");
  ImportValue constant(Constant both);
  ImportValue reals(double value) { return constant(Tensor::scalar(value)); }

  /// A call_function node; a constant where all operands are constants.
  ImportValue call(std::string_view op, std::vector<ImportValue> in, Attrs attrs = {});
  /// All results of such a call.
  std::vector<ImportValue> calls(std::string_view op, std::vector<ImportValue> in, Attrs attrs,
                                 std::size_t results);
  /// A call_module node that owns `parameters` by the op's names for them. `formats` are those of
  /// its parameters.
  ImportValue module(std::string_view op, std::string target, std::vector<ImportValue> in,
                     Attrs attrs, std::map<std::string, Tensor> parameters,
                     std::map<std::string, NumberFormat> formats = {});
  /// The same value with a number format, which becomes the format of the operands that read it.
  ImportValue quantised(ImportValue x, NumberFormat format);
  /// A value made on demand: `make` is called at most once, when the value is first used.
  ImportValue lazily(TensorType type, std::function<ImportValue()> make);

  /// The type at the first batch size.
  const TensorType& type(ImportValue x);
  const Shape& shape(ImportValue x) { return type(x).shape; }
  DType dtype(ImportValue x) { return type(x).dtype; }
  std::size_t rank(ImportValue x) { return shape(x).size(); }
  /// The shape with -1 where it depends on the batch.
  Shape open_shape(ImportValue x);
  const std::optional<NumberFormat>& format(ImportValue x) const { return item(x).format; }
  /// Without its format.
  ImportValue without_format(ImportValue x);

  bool is_constant(ImportValue x);
  /// The constant for both batch sizes; an error names what depends on the data.
  const Constant& constant_of(ImportValue x, std::string_view what);
  /// The value of a constant that must not depend on the batch.
  const Tensor& need(ImportValue x, std::string_view what);
  Ints need_ints(ImportValue x, std::string_view what);
  double need_real(ImportValue x, std::string_view what);
  /// One whole number, at most 2^53.
  std::int64_t need_whole(ImportValue x, std::string_view what);
  /// The name a constant was given, if any.
  const std::string& name_of(ImportValue x) const { return item(x).name; }
  /// Whether the batch size is open, so that the two tensors of a constant may differ.
  bool follows_batch() const { return open_; }

  /// The name for the next node, and the description of the ONNX node for errors.
  void set_location(std::string node_name, std::string location);
  const std::string& node_name() const { return node_name_; }
  /// The next call that is not a constant has this name; "": that of its op.
  void name_next(std::string name) { node_name_ = std::move(name); }

  /// The file holds `elements` more: the budget for constant folding grows with them.
  void add_budget(std::int64_t elements);
  /// Takes so many elements and operations from the budget; an error when it is used up.
  bool spend_budget(std::int64_t elements, std::int64_t work = 0);

  bool failed() const { return error_.has_value(); }
  void fail(Error error);
  const std::optional<Error>& error() const { return error_; }
  /// Inputs whose values an operator needed at import: with these values given, import can succeed.
  const std::set<std::string>& wanted_inputs() const { return wanted_; }

  Result<Graph> finish(const std::vector<ImportValue>& outputs,
                       const std::vector<std::string>& names);

  Graph& graph() { return graph_; }
  /// The node that makes `x`, if no other operand can have read it so far.
  std::optional<NodeId> producer(ImportValue x) const;

 private:
  struct Item {
    TensorType type;  ///< at the first batch size
    std::optional<Constant> constant = {};
    std::optional<Value> value = {};
    std::optional<NumberFormat> format = {};
    std::string name = {};
    std::function<ImportValue()> make = {};
  };

  Item& item(ImportValue x) { return items_[static_cast<std::size_t>(x)]; }
  const Item& item(ImportValue x) const { return items_[static_cast<std::size_t>(x)]; }
  ImportValue add(Item item);
  /// Makes a lazy value.
  void force(ImportValue x);
  Value value_of(ImportValue x);
  std::string parameter_name(const std::string& wanted);
  std::string module_target(const std::string& wanted, const OpDef& op);
  std::set<std::string> inputs_of(ImportValue x) const;
  std::optional<std::vector<ImportValue>> fold_constants(const OpDef& op,
                                                         const std::vector<ImportValue>& in,
                                                         const Attrs& attrs);
  Tensor through_format(ImportValue x, std::size_t batch);
  std::vector<ImportValue> emit(Node node, const std::vector<ImportValue>& in, std::size_t results);

  Graph graph_;
  std::array<Types, 2> types_;
  std::deque<Item> items_;  ///< a deque, so that references to items stay valid
  std::map<std::string, ImportValue> interned_;
  std::set<std::string> wanted_;
  std::set<std::string> targets_;          ///< of modules
  std::map<std::string, int> last_used_;   ///< by name: the last number appended to make it unique
  std::int64_t elements_ = kFreeElements;  ///< of constants that may still be made
  std::int64_t work_ = kFreeWork;          ///< operations that may still be done for them
  std::string node_name_;
  std::string location_;
  std::optional<Error> error_;
  bool open_ = false;
};

}  // namespace chop::onnx
