// Dividing whole numbers by powers of two, as formats round.
#pragma once

#include "formats/grid.hpp"
#include "hardware/integer/range.hpp"

namespace chop::hardware {

/// x / 2^shift to the nearest whole number, ties to even; 1 <= shift.
inline std::int64_t round_even(std::int64_t x, std::int64_t shift) {
  if (shift >= 63) return 0;
  const std::int64_t down = x >> shift;
  const std::int64_t rest = x - (down << shift);
  const std::int64_t half = std::int64_t{1} << (shift - 1);
  return down + (rest > half || (rest == half && (down & 1) != 0) ? 1 : 0);
}

/// x / 2^shift as the rule says; a negative shift multiplies.
inline std::int64_t divided(std::int64_t x, int shift, formats::Rounding rounding) {
  if (shift <= 0) return shifted(x, -shift);
  switch (rounding) {
    case formats::Rounding::HalfEven:
      return round_even(x, shift);
    case formats::Rounding::HalfUp:
      return shift >= 62 ? 0 : (x + (std::int64_t{1} << (shift - 1))) >> shift;
    case formats::Rounding::Down:
      return shifted(x, -shift);
  }
  return 0;
}

}  // namespace chop::hardware
