// Whole-number arithmetic that is defined for all operands: results that do not fit wrap around,
// as in PyTorch. References compute in i64, so unsigned numbers of 2^63 and above are out of
// their reach.
#pragma once

#include "tensor/tensor.hpp"

namespace chop::ops {

inline std::int64_t wrapping_add(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}
inline std::int64_t wrapping_sub(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
}
inline std::int64_t wrapping_mul(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
}
/// Toward zero; a / 0 is 0.
inline std::int64_t wrapping_div(std::int64_t a, std::int64_t b) {
  if (b == 0) return 0;
  return b == -1 ? wrapping_sub(0, a) : a / b;  // the smallest number has no opposite
}

/// What is left of `value` in a tensor of that dtype: its lowest bits.
inline std::int64_t wrapped(std::int64_t value, DType dtype) {
  switch (dtype) {
    case DType::I32:
      return static_cast<std::int32_t>(value);
    case DType::I16:
      return static_cast<std::int16_t>(value);
    case DType::I8:
      return static_cast<std::int8_t>(value);
    case DType::U32:
      return static_cast<std::uint32_t>(value);
    case DType::U16:
      return static_cast<std::uint16_t>(value);
    case DType::U8:
      return static_cast<std::uint8_t>(value);
    case DType::Bool:
      return value != 0 ? 1 : 0;
    default:
      return value;
  }
}

}  // namespace chop::ops
