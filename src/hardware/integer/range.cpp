#include "hardware/integer/range.hpp"

#include <bit>

#include "support/cat.hpp"

namespace chop::hardware {
namespace {

std::int64_t within(std::int64_t x) {
  return std::clamp(x, -kMost, kMost);
}

std::int64_t sum(std::int64_t a, std::int64_t b) {
  return within(a + b);  // both are within, so that their sum fits 63 bits
}

std::int64_t product(std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  if (__builtin_mul_overflow(a, b, &result)) return (a < 0) == (b < 0) ? kMost : -kMost;
  return within(result);
}

}  // namespace

Range operator+(const Range& a, const Range& b) {
  return {sum(a.low, b.low), sum(a.high, b.high)};
}

Range operator-(const Range& a, const Range& b) {
  return {sum(a.low, -b.high), sum(a.high, -b.low)};
}

Range operator*(const Range& a, std::int64_t factor) {
  const std::int64_t x = product(a.low, factor);
  const std::int64_t y = product(a.high, factor);
  return {std::min(x, y), std::max(x, y)};
}

Range shifted(const Range& a, int shift) {
  if (shift <= 0) return {shifted(a.low, shift), shifted(a.high, shift)};
  if (shift > 62) return a == Range{} ? a : Range{a.low < 0 ? -kMost : 0, a.high > 0 ? kMost : 0};
  return a * (std::int64_t{1} << shift);
}

Range hull(const Range& a, const Range& b) {
  return {std::min(a.low, b.low), std::max(a.high, b.high)};
}

int width_of(const Range& range) {
  const auto bits = [](std::int64_t x) {
    return static_cast<int>(std::bit_width(static_cast<std::uint64_t>(x < 0 ? ~x : x)));
  };
  const int magnitude = std::max(bits(range.low), bits(range.high));
  return std::max(1, magnitude + (range.low < 0 ? 1 : 0));
}

std::string to_text(const Range& range) {
  return cat("[", range.low, ", ", range.high, "]");
}

}  // namespace chop::hardware
