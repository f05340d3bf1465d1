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

Interval operator+(const Interval& a, const Interval& b) {
  return {sum(a.low, b.low), sum(a.high, b.high)};
}

Interval operator-(const Interval& a, const Interval& b) {
  return {sum(a.low, -b.high), sum(a.high, -b.low)};
}

Interval operator*(const Interval& a, std::int64_t factor) {
  const std::int64_t x = product(a.low, factor);
  const std::int64_t y = product(a.high, factor);
  return {std::min(x, y), std::max(x, y)};
}

Interval operator*(const Interval& a, const Interval& b) {
  return hull(a * b.low, a * b.high);
}

Interval squared(const Interval& a) {
  const std::int64_t least = a.holds(0) ? 0 : std::min(std::abs(a.low), std::abs(a.high));
  return {product(least, least), product(a.magnitude(), a.magnitude())};
}

Interval shifted(const Interval& a, int shift) {
  if (shift <= 0) return {shifted(a.low, shift), shifted(a.high, shift)};
  if (shift > 62)
    return a == Interval{} ? a : Interval{a.low < 0 ? -kMost : 0, a.high > 0 ? kMost : 0};
  return a * (std::int64_t{1} << shift);
}

Interval hull(const Interval& a, const Interval& b) {
  return {std::min(a.low, b.low), std::max(a.high, b.high)};
}

int width_of(const Interval& range) {
  const auto bits = [](std::int64_t x) {
    return static_cast<int>(std::bit_width(static_cast<std::uint64_t>(x < 0 ? ~x : x)));
  };
  const int magnitude = std::max(bits(range.low), bits(range.high));
  return std::max(1, magnitude + (range.low < 0 ? 1 : 0));
}

std::string to_text(const Interval& range) {
  return cat("[", range.low, ", ", range.high, "]");
}

}  // namespace chop::hardware
