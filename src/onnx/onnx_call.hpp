// One ONNX node while it is imported: its attributes, inputs and results.
#pragma once

#include <set>

#include "onnx/importer.hpp"
#include "onnx/model_file.hpp"

namespace chop::onnx {

/// What all nodes of a file share: the values made so far by name, and the operator sets.
struct OnnxScope {
  /// What a QuantizeLinear was given, by the name of its result, and of those that have its codes.
  struct Quantised {
    ImportValue x, scale, zero;
    std::int64_t axis;
    DType dtype;  ///< that the codes were made in
  };

  const OnnxFile& file;
  Importer& importer;
  std::map<std::string, ImportValue, std::less<>> names = {};
  std::map<std::string, int, std::less<>> versions = {};  ///< by domain; "" is ONNX's own
  std::map<std::string, int, std::less<>> uses = {};      ///< readers of each value
  std::map<std::string, Quantised, std::less<>> quantised = {};
};

class OnnxCall {
 public:
  OnnxCall(OnnxScope& scope, const proto::NodeProto& node)
      : scope_(scope), importer_(scope.importer), node_(node), names_(scope.names) {}

  OnnxScope& scope() const { return scope_; }
  Importer& make() const { return importer_; }
  const proto::NodeProto& node() const { return node_; }
  const std::string& op_type() const { return node_.op_type(); }
  /// Of the operator set the node belongs to.
  int version() const;

  std::size_t inputs() const { return static_cast<std::size_t>(node_.input_size()); }
  /// Whether input i is there: optional ones may be left out or empty.
  bool has(std::size_t i) const {
    return i < inputs() && !node_.input(static_cast<int>(i)).empty();
  }
  /// Input i; an error when it is left out.
  ImportValue in(std::size_t i) const;
  std::vector<ImportValue> all_inputs() const;

  std::size_t outputs() const { return static_cast<std::size_t>(node_.output_size()); }
  bool wants(std::size_t i) const {
    return i < outputs() && !node_.output(static_cast<int>(i)).empty();
  }
  void out(std::size_t i, ImportValue value) const;
  void out(ImportValue value) const { out(0, value); }

  /// The attribute of that name, which then counts as read; null when the node has none.
  const proto::AttributeProto* find(std::string_view name) const;
  /// An error for the first attribute that nobody has read, unless it is among `without_effect`.
  void refuse_unread(const std::vector<std::string_view>& without_effect) const;
  bool has_attr(std::string_view name) const { return find(name) != nullptr; }
  std::int64_t integer(std::string_view name, std::int64_t otherwise) const;
  double real(std::string_view name, double otherwise) const;
  std::string text(std::string_view name, std::string_view otherwise) const;
  Ints ints(std::string_view name, Ints otherwise = {}) const;
  std::vector<double> reals(std::string_view name) const;

  /// An attribute that later versions made an input: its whole numbers, from wherever they are.
  /// `otherwise` when it is given neither way.
  Ints ints_from(std::string_view attribute, std::size_t input, Ints otherwise = {}) const;
  /// How many nodes read input i, this one included.
  int uses(std::size_t i) const;
  /// A dimension counted from the front; an error outside the rank.
  std::int64_t axis(std::int64_t given, std::size_t rank) const;
  void fail(std::string what, std::string hint = "") const;

 private:
  OnnxScope& scope_;
  Importer& importer_;
  const proto::NodeProto& node_;
  std::map<std::string, ImportValue, std::less<>>& names_;
  mutable std::set<std::string_view> read_ = {};  ///< attributes of the node
};

/// Imports the initialisers and nodes of a graph, in topological order. Errors are kept
/// by the importer.
void import_nodes(OnnxScope& scope, const proto::GraphProto& graph);

}  // namespace chop::onnx
