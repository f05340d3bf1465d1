#include "support/rng.hpp"

#include <numbers>

namespace chop::support {

double Stream::normal(std::uint64_t n) const {
  const std::uint64_t pair = n & ~std::uint64_t{1};
  const double radius = std::sqrt(-2 * std::log(uniform(pair)));
  const double angle = 2 * std::numbers::pi * uniform(pair + 1);
  return radius * ((n & 1) != 0 ? std::sin(angle) : std::cos(angle));
}

}  // namespace chop::support
