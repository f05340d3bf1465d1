// Intervals of whole numbers: what is proven about a value of an integer graph or a netlist.
#pragma once

#include "support/layers.hpp"

namespace chop::hardware {

/// No value may need more bits than an interpreter's std::int64_t has to spare.
constexpr std::int64_t kMost = std::int64_t{1} << 61;

/// All whole numbers from low to high. Sums and products that leave [-kMost, kMost] stop there, and
/// verification refuses a range that reaches it.
struct Interval {
  std::int64_t low = 0;
  std::int64_t high = 0;

  bool operator==(const Interval&) const = default;
  bool is_signed() const { return low < 0; }
  bool is_constant() const { return low == high; }
  bool holds(std::int64_t x) const { return low <= x && x <= high; }
  bool holds(const Interval& other) const { return low <= other.low && other.high <= high; }
  bool is_bounded() const { return low > -kMost && high < kMost; }
  /// Of its codes.
  std::uint64_t count() const {
    return static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low) + 1;
  }
  std::int64_t magnitude() const { return std::max(high, -low); }
};

Interval operator+(const Interval& a, const Interval& b);
Interval operator-(const Interval& a, const Interval& b);
Interval operator*(const Interval& a, std::int64_t factor);
Interval operator*(const Interval& a, const Interval& b);
/// Of a value times itself.
Interval squared(const Interval& a);
/// Of x · 2^shift; a negative shift rounds down.
Interval shifted(const Interval& a, int shift);
/// The least range that holds both.
Interval hull(const Interval& a, const Interval& b);
inline Interval clamped(const Interval& a, const Interval& to) {
  return {std::clamp(a.low, to.low, to.high), std::clamp(a.high, to.low, to.high)};
}

/// Bits of a two's complement number with these values; without sign bit where none is negative.
int width_of(const Interval& range);
/// "[-128, 127]"
std::string to_text(const Interval& range);

/// x · 2^shift of whole numbers; a negative shift rounds down.
inline std::int64_t shifted(std::int64_t x, int shift) {
  if (shift >= 0) return static_cast<std::int64_t>(static_cast<std::uint64_t>(x) << shift);
  return shift <= -63 ? (x < 0 ? -1 : 0) : x >> -shift;
}

}  // namespace chop::hardware
