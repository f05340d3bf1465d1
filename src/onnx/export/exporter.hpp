// Writes the nodes of a graph into an ONNX model, one call at a time.
#pragma once

#include <set>

#include "onnx/export/export.hpp"
#include "onnx/export/export_call.hpp"

namespace chop::onnx {

class Exporter {
 public:
  Exporter(const Graph& graph, const OnnxExportOptions& options)
      : from_(graph), options_(options) {}

  Result<std::string> run();

  proto::NodeProto& add(const std::string& op_type, const std::vector<std::string>& inputs,
                        const std::vector<std::string>& outputs, const std::string& domain = "");
  /// A node whose one result gets a name of its own.
  std::string make(const std::string& op_type, const std::vector<std::string>& inputs,
                   const std::string& domain = "");
  proto::NodeProto& last() { return *graph().mutable_node(graph().node_size() - 1); }
  /// An initialiser; one name for equal tensors.
  std::string constant(const Tensor& tensor, const std::string& wanted = "constant");
  /// A name nothing else has.
  std::string unique(const std::string& wanted);
  void fail(const std::string& what) { problems_.insert(what); }
  const OnnxExportOptions& options() const { return options_; }
  void use_domain(const std::string& domain) { domains_.insert(domain); }

 private:
  Status infer();
  void name_results();
  void write_input(NodeId id);
  void write_call(NodeId id);
  void write_outputs(const Node& node);
  std::string parameter(const std::string& name);
  /// `value` as the node's operand wants it: through its format, if it has one.
  std::string quantised(const std::string& value, const Tensor* known, const Node& node,
                        const std::string& operand, const TensorType& type);
  proto::GraphProto& graph() { return *model_.mutable_graph(); }

  const Graph& from_;
  OnnxExportOptions options_;
  proto::ModelProto model_;
  std::vector<std::vector<TensorType>> types_;  ///< with -1 where a dimension follows the batch
  std::map<Value, std::string> names_;
  std::map<std::string, std::string> parameters_;
  std::map<std::string, std::string> constants_;  ///< by type and bytes
  std::map<std::string, std::string> quantised_;  ///< by value and format
  std::set<std::string> taken_;
  std::set<std::string> problems_;
  std::set<std::string> domains_;
};

/// Nodes that quantise `value` in this format; "" when ONNX has no such thing. `learned` is what
/// training left of it.
std::string write_format(Exporter& exporter, const std::string& value, const NumberFormat& format,
                         const Shape& shape, const Tensor* learned);

}  // namespace chop::onnx
