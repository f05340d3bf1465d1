#include "onnx/file_view.hpp"

#include "onnx/model_file.hpp"
#include "support/text.hpp"

namespace chop::onnx {
namespace {

/// "x FLOAT [N, 16], ..."
std::string describe(const google::protobuf::RepeatedPtrField<proto::ValueInfoProto>& values) {
  std::vector<std::string> list;
  for (const proto::ValueInfoProto& value : values) {
    std::vector<std::string> dims;
    for (const auto& dim : value.type().tensor_type().shape().dim())
      dims.push_back(dim.has_dim_value()       ? std::to_string(dim.dim_value())
                     : dim.dim_param().empty() ? "?"
                                               : dim.dim_param());
    list.push_back(cat(value.name(), " ", onnx_type_name(value.type().tensor_type().elem_type()),
                       " [", join(dims, ", "), "]"));
  }
  return join(list, ", ");
}

/// "Conv 2, Relu 3"
std::string count_operators(const proto::GraphProto& graph) {
  std::map<std::string, int> counts;
  for (const proto::NodeProto& node : graph.node()) ++counts[node.op_type()];
  std::vector<std::string> list;
  for (const auto& [name, count] : counts) list.push_back(cat(name, " ", count));
  return join(list, ", ");
}

}  // namespace

Result<WeightsFile> list_onnx(const MappedFile& mapped) {
  CH_TRY(OnnxFile read, read_onnx(mapped));
  const auto file = std::make_shared<const OnnxFile>(std::move(read));
  const proto::ModelProto& model = *file->model;
  WeightsFile out{.type = LoadType::Onnx};
  for (const proto::TensorProto& tensor : model.graph().initializer()) {
    CH_TRY(const TensorType type, type_of_tensor(tensor));
    out.tensors.push_back(
        {.name = tensor.name(), .dtype = type.dtype, .shape = type.shape, .read = [file, &tensor] {
           return tensor_of(tensor, *file);
         }});
  }
  std::vector<std::string> sets;
  for (const auto& set : model.opset_import())
    sets.push_back(cat(set.domain().empty() ? "ai.onnx" : set.domain(), " ", set.version()));
  out.metadata = {{"ir_version", std::to_string(model.ir_version())},
                  {"opset", join(sets, ", ")},
                  {"graph", model.graph().name()},
                  {"inputs", describe(model.graph().input())},
                  {"outputs", describe(model.graph().output())},
                  {"operators", count_operators(model.graph())}};
  if (!model.producer_name().empty())
    out.metadata["producer"] = cat(model.producer_name(), " ", model.producer_version());
  for (const auto& entry : model.metadata_props()) out.metadata[entry.key()] = entry.value();
  return out;
}

}  // namespace chop::onnx
