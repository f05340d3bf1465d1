#include "analysis/statistics/stat_loops.hpp"

#include "analysis/statistics/extent.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "analysis/statistics/stat_loops.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#ifndef CH_LANES_IN_FRONT
#define CH_LANES_IN_FRONT
namespace chop::analysis {
/// By the bits of a mask of eight lanes: the numbers of those set, in order, then zeros.
struct LanesInFront {
  std::int32_t lane[256][8] = {};
  constexpr LanesInFront() {
    for (unsigned bits = 0; bits < 256; ++bits) {
      int found = 0;
      for (int i = 0; i < 8; ++i)
        if ((bits >> static_cast<unsigned>(i) & 1U) != 0) lane[bits][found++] = i;
    }
  }
};
}  // namespace chop::analysis
#endif

HWY_BEFORE_NAMESPACE();
namespace chop::analysis::HWY_NAMESPACE {
namespace {
namespace hn = hwy::HWY_NAMESPACE;

constexpr std::size_t kEight = 8;
using Reals = hn::CappedTag<double, kEight>;
using Floats = hn::Rebind<float, Reals>;
using R = hn::Vec<Reals>;

struct Magnitude {
  HWY_INLINE R operator()(R x) const { return hn::Abs(x); }
  HWY_INLINE double operator()(double x) const { return std::fabs(x); }
};
struct Value {
  HWY_INLINE R operator()(R x) const { return x; }
  HWY_INLINE double operator()(double x) const { return x; }
};
struct SquaredDistance {
  double mean;
  HWY_INLINE R operator()(R x) const {
    const R apart = hn::Sub(x, hn::Set(Reals(), mean));
    return hn::Mul(apart, apart);
  }
  HWY_INLINE double operator()(double x) const { return (x - mean) * (x - mean); }
};

/// Σ f(x) of a row.
template <class F>
HWY_INLINE double row_sum(const float* x, std::size_t width, F f) {
  const Reals reals;
  HWY_ALIGN double eight[kEight];
  const std::size_t whole = width / kEight * kEight;
  for (std::size_t k = 0; k < kEight; k += hn::Lanes(reals)) {
    R sum = hn::Zero(reals);
    for (std::size_t i = k; i < whole; i += kEight)
      sum = hn::Add(sum, f(hn::PromoteTo(reals, hn::LoadU(Floats(), x + i))));
    hn::Store(sum, reals, eight + k);
  }
  for (std::size_t half = kEight / 2; half > 0; half /= 2)
    for (std::size_t k = 0; k < half; ++k) eight[k] += eight[k + half];
  double rest = 0;
  for (std::size_t i = whole; i < width; ++i) rest += f(static_cast<double>(x[i]));
  return eight[0] + rest;
}

void abs_sums(const RowSpan& x, double* sums) {
  for (std::size_t r = 0; r < x.rows; ++r)
    sums[r] = row_sum(x.values + r * x.width, x.width, Magnitude());
}

void moments(const RowSpan& x, double* means, double* squares) {
  for (std::size_t r = 0; r < x.rows; ++r) {
    const float* row = x.values + r * x.width;
    means[r] = row_sum(row, x.width, Value()) / static_cast<double>(x.width);
    squares[r] = row_sum(row, x.width, SquaredDistance{means[r]});
  }
}

std::uint32_t key_of(float x, int shift) {
  const auto bits = __builtin_bit_cast(std::uint32_t, x + 0.0F);
  return (bits ^ ((bits >> 31U) != 0 ? 0xffffffffU : 0x80000000U)) >> shift;
}

/// Stores the keys that count in front of a whole vector; returns how many. Highway's own way
/// copies its table of 1 KB each time with AVX2 (1.0.3, g++ 12).
template <class D, class Keys, class Mask>
HWY_INLINE std::size_t store_in_front(D tag, Keys keys, Mask counts, std::uint32_t* to) {
  if constexpr (hn::MaxLanes(tag) == 8) {
    static constexpr LanesInFront kFront;
    std::uint8_t bits[8];
    hn::StoreMaskBits(tag, counts, bits);
    const auto lanes = hn::SetTableIndices(tag, kFront.lane[bits[0]]);
    hn::StoreU(hn::TableLookupLanes(keys, lanes), tag, to);
    return static_cast<std::size_t>(__builtin_popcount(bits[0]));
  } else {
    hn::StoreU(hn::Compress(keys, counts), tag, to);
    return hn::CountTrue(tag, counts);
  }
}

std::size_t keys(std::span<const float> x, int shift, std::uint32_t* to) {
  const hn::ScalableTag<float> floats;
  const hn::RebindToSigned<decltype(floats)> ints;
  const hn::RebindToUnsigned<decltype(floats)> bits_tag;
  const auto zero = hn::Zero(floats);
  const auto sign = hn::Set(ints, static_cast<std::int32_t>(0x80000000U));
  const std::size_t lanes = hn::Lanes(floats);
  std::size_t found = 0;
  std::size_t i = 0;
  for (; i + lanes <= x.size(); i += lanes) {
    const auto value = hn::LoadU(floats, x.data() + i);
    const auto bits = hn::BitCast(ints, hn::Add(value, zero));
    const auto flipped = hn::Xor(bits, hn::Or(hn::ShiftRight<31>(bits), sign));
    const auto key = hn::ShiftRightSame(hn::BitCast(bits_tag, flipped), shift);
    const auto counts = hn::RebindMask(bits_tag, hn::Not(hn::Eq(value, zero)));
    // There is room for as many keys as values, and found <= i.
    found += store_in_front(bits_tag, key, counts, to + found);
  }
  for (; i < x.size(); ++i) {
    to[found] = key_of(x[i], shift);
    found += static_cast<std::size_t>(x[i] != 0);
  }
  return found;
}

void extend(Extent& extent, std::span<const float> x) {
  const hn::ScalableTag<float> tag;
  const std::size_t lanes = hn::Lanes(tag);
  auto low = hn::Set(tag, extent.least);
  auto high = hn::Set(tag, extent.most);
  auto other_low = low;
  auto other_high = high;
  auto nan = hn::IsNaN(hn::Zero(tag));
  const auto take = [&](auto& least, auto& most, auto value) {
    least = hn::IfThenElse(hn::Lt(value, least), value, least);
    most = hn::IfThenElse(hn::Gt(value, most), value, most);
    nan = hn::Or(nan, hn::IsNaN(value));
  };
  std::size_t i = 0;
  for (; i + 2 * lanes <= x.size(); i += 2 * lanes) {
    take(low, high, hn::LoadU(tag, x.data() + i));
    take(other_low, other_high, hn::LoadU(tag, x.data() + i + lanes));
  }
  extent.least = hn::GetLane(hn::MinOfLanes(tag, hn::Min(low, other_low)));
  extent.most = hn::GetLane(hn::MaxOfLanes(tag, hn::Max(high, other_high)));
  extent.nan |= hn::AllFalse(tag, nan) ? 0U : 1U;
  for (; i < x.size(); ++i) extent.add(x[i]);
}

}  // namespace
}  // namespace chop::analysis::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace chop::analysis {
HWY_EXPORT(abs_sums);
HWY_EXPORT(moments);
HWY_EXPORT(keys);
HWY_EXPORT(extend);

void row_abs_sums(const RowSpan& x, double* sums) {
  HWY_DYNAMIC_DISPATCH(abs_sums)(x, sums);
}

void row_moments(const RowSpan& x, double* means, double* squares) {
  HWY_DYNAMIC_DISPATCH(moments)(x, means, squares);
}

std::size_t nonzero_keys(std::span<const float> x, int shift, std::uint32_t* to) {
  return HWY_DYNAMIC_DISPATCH(keys)(x, shift, to);
}

void Extent::add(std::span<const float> values) {
  HWY_DYNAMIC_DISPATCH(extend)(*this, values);
}

}  // namespace chop::analysis
#endif
