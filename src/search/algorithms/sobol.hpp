// Sobol's low-discrepancy sequence (Sobol 1967; direction numbers of Joe and Kuo 2008; Gray-code
// order of Antonov and Saleev 1979): points that fill the unit cube more evenly than random ones.
//
// The first dimension, points 0 to 7: 0, 1/2, 3/4, 1/4, 3/8, 7/8, 5/8, 1/8.
#pragma once

#include "support/rng.hpp"

namespace chop::search {

constexpr std::size_t kSobolDimensions = 256;

/// A polynomial and the first direction numbers of a dimension; zeros fill the rest.
struct SobolRow {
  std::uint32_t polynomial = 0;
  std::array<std::uint32_t, 11> first = {};
};
/// From the second dimension on; the first one needs no table.
const std::array<SobolRow, kSobolDimensions - 1>& sobol_rows();

/// Coordinate `dimension` of point `index`, in Gray code's order, as a fraction of 2^32.
std::uint32_t sobol_bits(std::size_t dimension, std::uint32_t index);
/// Owen's scrambling (1995): each bit is flipped or not by a random bit that depends on the higher
/// bits. Points stay as evenly spread and each becomes uniformly random.
std::uint32_t scrambled_bits(std::uint32_t bits, const Stream& stream);
/// The middle of an interval of 2^-32, strictly inside (0, 1).
inline double sobol_fraction(std::uint32_t bits) {
  return (static_cast<double>(bits) + 0.5) * 0x1p-32;
}

}  // namespace chop::search
