#include "onnx/proto.hpp"

#include "support/text.hpp"

namespace chop::onnx {
namespace {

constexpr std::array<std::pair<int, DType>, 13> kTypes = {
    {{proto::TensorProto::FLOAT, DType::F32},
     {proto::TensorProto::UINT8, DType::U8},
     {proto::TensorProto::INT8, DType::I8},
     {proto::TensorProto::UINT16, DType::U16},
     {proto::TensorProto::INT16, DType::I16},
     {proto::TensorProto::INT32, DType::I32},
     {proto::TensorProto::INT64, DType::I64},
     {proto::TensorProto::BOOL, DType::Bool},
     {proto::TensorProto::FLOAT16, DType::F16},
     {proto::TensorProto::DOUBLE, DType::F64},
     {proto::TensorProto::UINT32, DType::U32},
     {proto::TensorProto::UINT64, DType::U64},
     {proto::TensorProto::BFLOAT16, DType::BF16}}};

}  // namespace

std::optional<DType> dtype_of(int onnx_type) {
  for (const auto& [theirs, ours] : kTypes)
    if (theirs == onnx_type) return ours;
  return std::nullopt;
}

int onnx_type_of(DType dtype) {
  for (const auto& [theirs, ours] : kTypes)
    if (ours == dtype) return theirs;
  return proto::TensorProto::UNDEFINED;
}

std::string onnx_type_name(int onnx_type) {
  return proto::TensorProto::DataType_IsValid(onnx_type)
             ? proto::TensorProto::DataType_Name(
                   static_cast<proto::TensorProto::DataType>(onnx_type))
             : cat("type ", onnx_type);
}

}  // namespace chop::onnx
