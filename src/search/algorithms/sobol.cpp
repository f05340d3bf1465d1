#include "search/algorithms/sobol.hpp"

#include <bit>

namespace chop::search {
namespace {

constexpr std::size_t kBits = 32;
using Directions = std::array<std::uint32_t, kBits>;

/// m_k = 2 a_1 m_(k-1) ^ ... ^ 2^s m_(k-s) ^ m_(k-s), each as a fraction of 2^32.
Directions directions_of(std::size_t dimension) {
  Directions directions{};
  if (dimension == 0) {
    for (std::size_t k = 0; k < kBits; ++k) directions[k] = std::uint32_t{1} << (kBits - 1 - k);
    return directions;
  }
  const SobolRow& row = sobol_rows()[dimension - 1];
  const auto degree = static_cast<std::size_t>(std::bit_width(row.polynomial)) - 1;
  for (std::size_t k = 0; k < kBits; ++k) {
    if (k < degree) {
      directions[k] = row.first[k] << (kBits - 1 - k);
      continue;
    }
    directions[k] = directions[k - degree] ^ (directions[k - degree] >> degree);
    for (std::size_t j = 1; j < degree; ++j)
      if (((row.polynomial >> (degree - j)) & 1U) != 0) directions[k] ^= directions[k - j];
  }
  return directions;
}

const std::vector<Directions>& all_directions() {
  static const std::vector<Directions> table = [] {
    std::vector<Directions> made(kSobolDimensions);
    for (std::size_t i = 0; i < made.size(); ++i) made[i] = directions_of(i);
    return made;
  }();
  return table;
}

}  // namespace

std::uint32_t sobol_bits(std::size_t dimension, std::uint32_t index) {
  assert(dimension < kSobolDimensions && "there are no direction numbers for so many dimensions");
  const Directions& directions = all_directions()[dimension];
  std::uint32_t bits = 0;
  for (std::uint32_t gray = index ^ (index >> 1); gray != 0; gray &= gray - 1)
    bits ^= directions[static_cast<std::size_t>(std::countr_zero(gray))];
  return bits;
}

std::uint32_t scrambled_bits(std::uint32_t bits, const Stream& stream) {
  std::uint32_t scrambled = 0;
  for (std::uint32_t k = 0; k < kBits; ++k) {
    // The higher bits, with a one before them, number the nodes of the tree of prefixes.
    const std::uint64_t prefix = (std::uint64_t{1} << k) | (std::uint64_t{bits} >> (kBits - k));
    const std::uint32_t bit = (bits >> (kBits - 1 - k)) & 1U;
    scrambled = (scrambled << 1) | (bit ^ static_cast<std::uint32_t>(stream.bits(prefix) & 1U));
  }
  return scrambled;
}

}  // namespace chop::search
