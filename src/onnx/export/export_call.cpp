#include "onnx/export/export_call.hpp"

#include "onnx/export/exporter.hpp"
#include "ops/core/registry.hpp"
#include "support/system/files.hpp"
#include "support/text.hpp"

namespace chop::onnx {

const Attr& ExportCall::attr(std::string_view name) const {
  return Call{op_of(node_), node_.attrs}.attr(name);
}

std::string ExportCall::onnx_name() const {
  return std::string(op_of(node_).onnx.front().op_type);
}

Ints ExportCall::spread(std::string_view name, std::size_t count) const {
  return Call{op_of(node_), node_.attrs}.ints(name, count);
}

std::vector<std::string> ExportCall::operands() const {
  std::vector<std::string> all = inputs_;
  all.insert(all.end(), parameters_.begin(), parameters_.end());
  return all;
}

proto::NodeProto& ExportCall::add(const std::string& op_type,
                                  const std::vector<std::string>& inputs) {
  return exporter_.add(op_type, inputs, {outputs_[0]});
}

proto::NodeProto& ExportCall::add_all(const std::string& op_type,
                                      const std::vector<std::string>& inputs) {
  return exporter_.add(op_type, inputs, outputs_);
}

proto::NodeProto& ExportCall::before(const std::string& op_type,
                                     const std::vector<std::string>& inputs, std::string& name) {
  name = exporter_.make(op_type, inputs);
  return exporter_.last();
}

std::string ExportCall::before(const std::string& op_type, const std::vector<std::string>& inputs) {
  return exporter_.make(op_type, inputs);
}

std::string ExportCall::constant(const Tensor& tensor) {
  return exporter_.constant(tensor);
}

std::string ExportCall::whole_numbers(const Ints& values) {
  return constant(Tensor::of<std::int64_t>({static_cast<std::int64_t>(values.size())}, values));
}

void ExportCall::set_pads(proto::NodeProto& node, std::size_t dims) const {
  const Ints padding = spread("padding", dims);
  Ints pads = padding;
  pads.insert(pads.end(), padding.begin(), padding.end());
  set(node, "pads", pads);
}

void ExportCall::fail(std::string_view what) {
  exporter_.fail(cat(node_.name, ": ", what));
}

void ExportCall::set(proto::NodeProto& node, std::string_view name, const Attr& value) {
  proto::AttributeProto& attribute = *node.add_attribute();
  attribute.set_name(std::string(name));
  if (const auto* flag = std::get_if<bool>(&value)) {
    attribute.set_type(proto::AttributeProto::INT);
    attribute.set_i(*flag ? 1 : 0);
  } else if (const auto* whole = std::get_if<std::int64_t>(&value)) {
    attribute.set_type(proto::AttributeProto::INT);
    attribute.set_i(*whole);
  } else if (const auto* real = std::get_if<double>(&value)) {
    attribute.set_type(proto::AttributeProto::FLOAT);
    attribute.set_f(static_cast<float>(*real));
  } else if (const auto* text = std::get_if<std::string>(&value)) {
    attribute.set_type(proto::AttributeProto::STRING);
    attribute.set_s(*text);
  } else if (const auto* list = std::get_if<Ints>(&value)) {
    attribute.set_type(proto::AttributeProto::INTS);
    for (const std::int64_t number : *list) attribute.add_ints(number);
  } else {
    attribute.set_type(proto::AttributeProto::FLOATS);
    for (const double number : std::get<std::vector<double>>(value))
      attribute.add_floats(static_cast<float>(number));
  }
}

Status write_onnx(const std::filesystem::path& path, const Graph& graph,
                  const OnnxExportOptions& options) {
  CH_TRY(const std::string bytes, export_onnx(graph, options));
  return write_file(path, bytes);
}

}  // namespace chop::onnx
