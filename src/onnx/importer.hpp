// Builds a Graph from operators of another system: constants are folded, shapes followed at
// two batch sizes at once, formats kept until an operand takes them.
//
// Like GraphBuilder, mistakes need no checks after each call: the first one is kept, later calls
// do nothing, and finish() returns it.
#pragma once

#include <array>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "ops/core/infer.hpp"

namespace chop::onnx {

/// A value of the network being imported: a constant, a value of the graph, or both.
enum class ImportValue : std::uint32_t {};
constexpr ImportValue kNone{0xFFFFFFFFU};

/// A tensor known at import, for each of the batch sizes followed.
struct Known {
  std::array<Tensor, 2> at;

  explicit Known(const Tensor& tensor) : at{tensor, tensor} {}
  Known(Tensor first, Tensor second) : at{std::move(first), std::move(second)} {}
  bool is_fixed() const { return at[0] == at[1]; }
};

/// Whether a value may have this shape: no negative dimension, not too many of them, and not too
/// many elements to count.
bool is_possible(const Shape& shape);

class Importer {
 public:
  /// Batches followed where the first dimension of an input is open.
  static constexpr std::array<std::int64_t, 2> kBatches = {2, 3};
  /// What a file may ask for beyond what its own constants pay for.
  static constexpr std::int64_t kFreeElements = std::int64_t{1} << 23;
  static constexpr std::int64_t kFreeWork = std::int64_t{1} << 28;

  explicit Importer(std::string name) : graph_(std::move(name)) {}

  /// A placeholder; -1 in front stands for the batch.
  ImportValue input(const std::string& name, Shape shape, DType dtype);
  /// A constant. One that carries a name is a parameter when the graph comes to hold it.
  ImportValue constant(Tensor tensor, std::string name = "");
  ImportValue constant(Known known);
  ImportValue reals(double value) { return constant(Tensor::scalar(value)); }

  /// A call_function node, or a constant where all operands are.
  ImportValue call(std::string_view op, std::vector<ImportValue> in, Attrs attrs = {});
  /// All results of such a call.
  std::vector<ImportValue> calls(std::string_view op, std::vector<ImportValue> in, Attrs attrs,
                                 std::size_t results);
  /// A call_module node that owns `parameters` by the op's names for them. `formats` are those of
  /// its parameters.
  ImportValue module(std::string_view op, std::string target, std::vector<ImportValue> in,
                     Attrs attrs, std::map<std::string, Tensor> parameters,
                     std::map<std::string, NumberFormat> formats = {});
  /// The same value, read through a number format by whoever reads it next.
  ImportValue quantised(ImportValue x, NumberFormat format);
  /// A value made when somebody asks for it: `make` is called at most once.
  ImportValue lazily(TensorType type, std::function<ImportValue()> make);

  /// Of the value at the first batch size.
  const TensorType& type(ImportValue x);
  const Shape& shape(ImportValue x) { return type(x).shape; }
  DType dtype(ImportValue x) { return type(x).dtype; }
  std::size_t rank(ImportValue x) { return shape(x).size(); }
  /// The shape with -1 where it follows the batch.
  Shape open_shape(ImportValue x);
  const std::optional<NumberFormat>& format(ImportValue x) const { return item(x).format; }
  /// Without its format.
  ImportValue bare(ImportValue x);

  bool is_known(ImportValue x);
  /// The constant for both batch sizes; an error names what depends on the data.
  const Known& known(ImportValue x, std::string_view what);
  /// A constant that does not follow the batch.
  const Tensor& need(ImportValue x, std::string_view what);
  Ints need_ints(ImportValue x, std::string_view what);
  double need_real(ImportValue x, std::string_view what);
  /// One whole number, small enough to count with.
  std::int64_t need_whole(ImportValue x, std::string_view what);
  /// The name a constant was given, if any.
  const std::string& name_of(ImportValue x) const { return item(x).name; }
  /// Whether the batch size is open, so that known() may differ between its two tensors.
  bool follows_batch() const { return open_; }

  /// The name the next node should have, and what errors call the place.
  void set_place(std::string node_name, std::string place);
  const std::string& node_name() const { return node_name_; }

  /// A file pays for what is made of its constants with the elements it brings: a few bytes must
  /// not ask for gigabytes, or for hours.
  void pay(std::int64_t elements);
  /// Whether constants of so many elements more may be made, by so many operations.
  bool afford(std::int64_t elements, std::int64_t work = 0);

  bool failed() const { return error_.has_value(); }
  void fail(Error error);
  const std::optional<Error>& error() const { return error_; }
  /// Inputs whose values some operator had to know: with them given, import can go on.
  const std::set<std::string>& wanted_inputs() const { return wanted_; }

  Result<Graph> finish(const std::vector<ImportValue>& outputs,
                       const std::vector<std::string>& names);

  Graph& graph() { return graph_; }
  /// The node that makes `x`, if nothing but this operand can have read it so far.
  std::optional<NodeId> producer(ImportValue x) const;

 private:
  struct Item {
    TensorType type;  ///< at the first batch size
    std::optional<Known> known = {};
    std::optional<Value> value = {};
    std::optional<NumberFormat> format = {};
    std::string name = {};
    std::function<ImportValue()> make = {};
  };

  Item& item(ImportValue x) { return items_[static_cast<std::size_t>(x)]; }
  const Item& item(ImportValue x) const { return items_[static_cast<std::size_t>(x)]; }
  ImportValue add(Item item);
  void settle(ImportValue x);
  Value value_of(ImportValue x);
  std::string parameter_name(const std::string& wanted);
  std::string module_target(const std::string& wanted, const OpDef& op);
  std::set<std::string> inputs_of(ImportValue x) const;
  std::optional<std::vector<ImportValue>> folded(const OpDef& op,
                                                 const std::vector<ImportValue>& in,
                                                 const Attrs& attrs);
  Tensor through_format(ImportValue x, std::size_t batch);
  std::vector<ImportValue> emit(Node node, const std::vector<ImportValue>& in, std::size_t results);

  Graph graph_;
  std::array<Types, 2> types_;
  std::deque<Item> items_;  ///< references to items stay good
  std::map<std::string, ImportValue> interned_;
  std::set<std::string> wanted_;
  std::set<std::string> targets_;          ///< of modules
  std::map<std::string, int> last_used_;   ///< the number the last name made of a name ended in
  std::int64_t elements_ = kFreeElements;  ///< of constants that may still be made
  std::int64_t work_ = kFreeWork;          ///< operations that may still be done for them
  std::string node_name_;
  std::string place_;
  std::optional<Error> error_;
  bool open_ = false;
};

}  // namespace chop::onnx
