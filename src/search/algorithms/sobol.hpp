// Sobol's sequence: points that fill the unit cube more evenly than random ones.
#pragma once

#include <array>
#include <cstdint>

#include "support/rng.hpp"

namespace chop::search {

constexpr std::size_t kSobolDimensions = 256;

/// A polynomial and the first direction numbers of a dimension; zeros fill the rest.
struct SobolRow {
  std::uint32_t polynomial = 0;
  std::array<std::uint32_t, 11> first = {};
};
/// From the second dimension on; the first needs none.
const std::array<SobolRow, kSobolDimensions - 1>& sobol_rows();

/// Coordinate `dimension` of point `index`, in Gray code's order, as a fraction of 2^32.
std::uint32_t sobol_bits(std::size_t dimension, std::uint32_t index);
/// The same after Owen's scrambling: each bit is flipped or not by a number of the stream that
/// depends on the bits above it. Keeps the evenness, and makes each point random.
std::uint32_t scrambled_bits(std::uint32_t bits, const Stream& stream);
/// The middle of the step of 2^-32, strictly inside (0, 1).
inline double sobol_fraction(std::uint32_t bits) {
  return (static_cast<double>(bits) + 0.5) * 0x1p-32;
}

}  // namespace chop::search
