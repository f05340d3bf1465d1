#include "data/numpy_random.hpp"

#include <bit>
#include <numeric>

namespace chop::data {

double NumpyRandom::random_sample() {
  const std::uint64_t high = engine_() >> 5;
  const std::uint64_t low = engine_() >> 6;
  return static_cast<double>(high << 26 | low) * 0x1p-53;
}

/// Uniform over 0 .. most: draws under the smallest mask that covers it until one fits.
std::uint32_t NumpyRandom::interval(std::uint32_t most) {
  const std::uint32_t mask = ~std::uint32_t{0} >> std::countl_zero(most);
  while (true) {
    const auto value = static_cast<std::uint32_t>(engine_()) & mask;
    if (value <= most) return value;
  }
}

std::vector<std::uint32_t> NumpyRandom::permutation(std::int64_t n) {
  assert(n >= 0 && n <= std::int64_t{0xFFFFFFFF} && "rows are counted in 32 bits");
  std::vector<std::uint32_t> rows(static_cast<std::size_t>(n));
  std::iota(rows.begin(), rows.end(), 0U);
  for (std::size_t i = rows.size(); i-- > 1;)
    std::swap(rows[i], rows[interval(static_cast<std::uint32_t>(i))]);
  return rows;
}

}  // namespace chop::data
