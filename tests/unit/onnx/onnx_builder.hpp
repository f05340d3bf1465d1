// Builds small ONNX models for tests, broken ones too.
#pragma once

#include <initializer_list>
#include <string>
#include <vector>

#include "onnx/import.hpp"

namespace chop::testing {

class OnnxBuilder {
 public:
  explicit OnnxBuilder(std::int64_t opset = 13) {
    model_.set_ir_version(7);
    auto* set = model_.add_opset_import();
    set->set_domain("");
    set->set_version(opset);
    model_.mutable_graph()->set_name("g");
  }

  proto::ModelProto& model() { return model_; }
  proto::GraphProto& graph() { return *model_.mutable_graph(); }

  OnnxBuilder& input(const std::string& name, std::initializer_list<std::int64_t> shape,
                     int type = proto::TensorProto::FLOAT) {
    auto* info = graph().add_input();
    info->set_name(name);
    auto* tensor = info->mutable_type()->mutable_tensor_type();
    tensor->set_elem_type(type);
    tensor->mutable_shape();
    for (const std::int64_t dim : shape) tensor->mutable_shape()->add_dim()->set_dim_value(dim);
    return *this;
  }

  OnnxBuilder& output(const std::string& name) {
    graph().add_output()->set_name(name);
    return *this;
  }

  proto::NodeProto& node(const std::string& op, std::initializer_list<std::string> in,
                         std::initializer_list<std::string> out) {
    return add_node(graph(), op, in, out);
  }

  static proto::NodeProto& add_node(proto::GraphProto& graph, const std::string& op,
                                    std::initializer_list<std::string> in,
                                    std::initializer_list<std::string> out) {
    auto* node = graph.add_node();
    node->set_op_type(op);
    for (const std::string& name : in) node->add_input(name);
    for (const std::string& name : out) node->add_output(name);
    return *node;
  }

  OnnxBuilder& whole(const std::string& name, const std::vector<std::int64_t>& values) {
    auto* tensor = graph().add_initializer();
    tensor->set_name(name);
    tensor->set_data_type(proto::TensorProto::INT64);
    tensor->add_dims(static_cast<std::int64_t>(values.size()));
    for (const std::int64_t value : values) tensor->add_int64_data(value);
    return *this;
  }

  OnnxBuilder& reals(const std::string& name, std::vector<std::int64_t> shape,
                     const std::vector<float>& values) {
    auto* tensor = graph().add_initializer();
    tensor->set_name(name);
    tensor->set_data_type(proto::TensorProto::FLOAT);
    for (const std::int64_t dim : shape) tensor->add_dims(dim);
    for (const float value : values) tensor->add_float_data(value);
    return *this;
  }

  static void set(proto::NodeProto& node, const std::string& name, std::int64_t value) {
    auto* attribute = node.add_attribute();
    attribute->set_name(name);
    attribute->set_type(proto::AttributeProto::INT);
    attribute->set_i(value);
  }

  static void set(proto::NodeProto& node, const std::string& name,
                  const std::vector<std::int64_t>& values) {
    auto* attribute = node.add_attribute();
    attribute->set_name(name);
    attribute->set_type(proto::AttributeProto::INTS);
    for (const std::int64_t value : values) attribute->add_ints(value);
  }

  static void set(proto::NodeProto& node, const std::string& name, const std::string& value) {
    auto* attribute = node.add_attribute();
    attribute->set_name(name);
    attribute->set_type(proto::AttributeProto::STRING);
    attribute->set_s(value);
  }

  std::string bytes() const { return model_.SerializeAsString(); }

  Result<OnnxImport> import() const {
    const std::string file = bytes();
    CH_TRY(const OnnxFile parsed, parse_onnx(std::as_bytes(std::span(file)), "x.onnx"));
    return import_onnx(parsed);
  }

 private:
  proto::ModelProto model_;
};

}  // namespace chop::testing
