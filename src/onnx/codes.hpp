// Quantised integers q of ONNX's operators, which mean scale · (q - zero_point).
#pragma once

#include "onnx/import_helpers.hpp"

namespace chop::onnx {

struct Codes {
  DType dtype;
  double low, high;
};
/// The types codes may have; null: it is not one of them.
const Codes* codes_of(DType dtype);

/// A vector of scales or zero points along `axis` of a tensor with `rank` dimensions.
ImportValue along(Importer& make, ImportValue vector, std::int64_t axis, std::size_t rank);
/// clamp(rne(x) + z): reals to codes of `dtype`, as saturate() of the specification.
ImportValue to_codes(Importer& make, ImportValue x, ImportValue zero, DType dtype);
/// codes - z as reals.
ImportValue from_codes(Importer& make, ImportValue codes, ImportValue zero);

}  // namespace chop::onnx
