// ONNX's own message classes. Only files of this layer include them.
#pragma once

#include <onnx/onnx_pb.h>

#include "tensor/tensor.hpp"

namespace chop::onnx {

namespace proto = ::onnx;

/// Our type for an element type of ONNX, if there is one (no strings, no complex numbers).
std::optional<DType> dtype_of(int onnx_type);
/// ONNX's number for one of our types.
int onnx_type_of(DType dtype);
/// "FLOAT", "STRING" ...; "type 99" for a number it does not define.
std::string onnx_type_name(int onnx_type);

/// The name of the domain whose operators need no prefix: "" and "ai.onnx" are the same.
inline bool is_main_domain(std::string_view domain) {
  return domain.empty() || domain == "ai.onnx";
}

}  // namespace chop::onnx
