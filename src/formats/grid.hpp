// Equally spaced numbers: q = step · clamp(round(x / step), low, high), with whole low and high.
// What training, integer kernels and ONNX need to know of a format whose numbers are such.
#pragma once

#include "support/layers.hpp"

namespace chop::formats {

enum class Rounding : std::uint8_t {
  HalfEven,  ///< to the nearest, ties to even
  HalfUp,    ///< floor(x + 1/2)
  Down       ///< floor(x)
};

struct Grid {
  float step = 1;
  float low = 0;  ///< the least and the greatest multiple of the step
  float high = 0;
  Rounding rounding = Rounding::HalfEven;

  float scale() const { return 1 / step; }
  /// Dividing by the step only moves the exponent, so it cannot round.
  bool is_binary() const {
    return (__builtin_bit_cast(std::uint32_t, step) & 0x7FFFFFU) == 0 && step >= 0x1p-100F &&
           step <= 0x1p98F;
  }
  bool operator==(const Grid&) const = default;
};

}  // namespace chop::formats
