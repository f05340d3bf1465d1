// One node of ours while it is written as ONNX nodes.
#pragma once

#include "onnx/proto.hpp"
#include "ops/core/infer.hpp"

namespace chop::onnx {

class Exporter;

class ExportCall {
 public:
  ExportCall(Exporter& exporter, const Node& node, std::vector<std::string> inputs,
             std::vector<std::string> parameters, std::vector<TensorType> types,
             std::vector<TensorType> results, std::vector<std::string> outputs)
      : exporter_(exporter),
        node_(node),
        inputs_(std::move(inputs)),
        parameters_(std::move(parameters)),
        types_(std::move(types)),
        results_(std::move(results)),
        outputs_(std::move(outputs)) {}

  const Node& node() const { return node_; }
  /// The operator the op names as its own.
  std::string onnx_name() const;
  /// Attributes with defaults filled in.
  const Attr& attr(std::string_view name) const;
  bool flag(std::string_view name) const { return std::get<bool>(attr(name)); }
  std::int64_t integer(std::string_view name) const { return std::get<std::int64_t>(attr(name)); }
  double real(std::string_view name) const { return std::get<double>(attr(name)); }
  const Ints& ints(std::string_view name) const { return std::get<Ints>(attr(name)); }
  const std::string& text(std::string_view name) const { return std::get<std::string>(attr(name)); }
  /// A list attribute with `count` entries; a single one stands for all.
  Ints spread(std::string_view name, std::size_t count) const;

  /// Names of the data inputs, and of all operands with the parameters behind them.
  const std::vector<std::string>& inputs() const { return inputs_; }
  std::vector<std::string> operands() const;
  const Shape& shape(std::size_t input) const { return types_[input].shape; }
  DType dtype(std::size_t input) const { return types_[input].dtype; }
  const TensorType& result(std::size_t i = 0) const { return results_[i]; }

  /// The last node of this call: it makes the call's first result.
  proto::NodeProto& add(const std::string& op_type, const std::vector<std::string>& inputs);
  /// The same with all results.
  proto::NodeProto& add_all(const std::string& op_type, const std::vector<std::string>& inputs);
  /// A node before it; its result's name is `name`.
  proto::NodeProto& before(const std::string& op_type, const std::vector<std::string>& inputs,
                           std::string& name);
  std::string before(const std::string& op_type, const std::vector<std::string>& inputs);
  /// An initialiser with this tensor.
  std::string constant(const Tensor& tensor);
  std::string number(double value) { return constant(Tensor::scalar(value)); }
  std::string whole_numbers(const Ints& values);

  /// `pads` of a node whose both ends have what the attribute `padding` says.
  void set_pads(proto::NodeProto& node, std::size_t dims) const;
  static void set(proto::NodeProto& node, std::string_view name, const Attr& value);
  void fail(std::string_view what);

 private:
  Exporter& exporter_;
  const Node& node_;
  std::vector<std::string> inputs_;
  std::vector<std::string> parameters_;
  std::vector<TensorType> types_;
  std::vector<TensorType> results_;
  std::vector<std::string> outputs_;
};

}  // namespace chop::onnx
