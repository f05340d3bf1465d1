// Vectors of float, with the functions of mathematics that kernels need. NaN stays NaN, and
// every function takes every number. Compiled once per instruction set (see Highway's guide);
// include it after foreach_target.h.
#if defined(CH_SIMD_MATH_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef CH_SIMD_MATH_INL
#undef CH_SIMD_MATH_INL
#else
#define CH_SIMD_MATH_INL
#endif

#include "hwy/highway.h"
//
#include "hwy/contrib/math/math-inl.h"

#include "support/layers.hpp"

HWY_BEFORE_NAMESPACE();
namespace chop::runtime::simd::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Tag = hn::ScalableTag<float>;
using V = hn::Vec<Tag>;
using M = hn::Mask<Tag>;
constexpr Tag kTag{};

HWY_INLINE std::int64_t lane_count() {
  return static_cast<std::int64_t>(hn::Lanes(kTag));
}
HWY_INLINE V set(float x) {
  return hn::Set(kTag, x);
}
HWY_INLINE V zero() {
  return hn::Zero(kTag);
}
HWY_INLINE V one() {
  return set(1.0F);
}
HWY_INLINE V where(M m, V yes, V no) {
  return hn::IfThenElse(m, yes, no);
}
/// The first `count` lanes, at most all.
HWY_INLINE M first(std::int64_t count) {
  return hn::FirstN(kTag, static_cast<std::size_t>(count < lane_count() ? count : lane_count()));
}

/// Calls full(i) for every whole vector of [0, count) and rest(i, mask) for what is left over.
template <class Full, class Rest>
HWY_INLINE void sweep(std::int64_t count, Full full, Rest rest) {
  const std::int64_t lanes = lane_count();
  std::int64_t i = 0;
  for (; i + lanes <= count; i += lanes) full(i);
  if (i < count) rest(i, first(count - i));
}

/// y[i] = f(x[i])
template <class F>
HWY_INLINE void map(const float* x, float* y, std::int64_t count, F f) {
  sweep(
      count, [&](std::int64_t i) { hn::StoreU(f(hn::LoadU(kTag, x + i)), kTag, y + i); },
      [&](std::int64_t i, M m) {
        hn::BlendedStore(f(hn::MaskedLoad(m, kTag, x + i)), m, kTag, y + i);
      });
}

/// z[i] = f(x[i], y[i])
template <class F>
HWY_INLINE void map(const float* x, const float* y, float* z, std::int64_t count, F f) {
  sweep(
      count,
      [&](std::int64_t i) {
        hn::StoreU(f(hn::LoadU(kTag, x + i), hn::LoadU(kTag, y + i)), kTag, z + i);
      },
      [&](std::int64_t i, M m) {
        hn::BlendedStore(f(hn::MaskedLoad(m, kTag, x + i), hn::MaskedLoad(m, kTag, y + i)), m, kTag,
                         z + i);
      });
}

/// Sums of floats in 16 virtual lanes, whatever the width of the vectors: lane k adds up the
/// elements k, k + 16, k + 32 ..., and the lanes are added as a tree of fixed shape. So the bits do
/// not depend on the processor.
constexpr std::int64_t kVirtualLanes = 16;
constexpr int kParts =
    static_cast<int>(kVirtualLanes / static_cast<std::int64_t>(hn::MaxLanes(kTag)));
struct VirtualLanes {
  V part[kParts];

  // A constructor that g++ makes may not call those of vectors, which need more instructions
  // (arm64).
  HWY_INLINE VirtualLanes() {}
  HWY_INLINE void clear() {
    for (V& v : part) v = zero();
  }
  /// Adds f(i + offset of the part, all) to every part.
  template <class F>
  HWY_INLINE void add(std::int64_t i, M all, F f) {
    for (int p = 0; p < kParts; ++p) part[p] = hn::Add(part[p], f(i + p * lane_count(), all));
  }
  /// The same where only the first `count` of the 16 elements count; f gets masks.
  template <class F>
  HWY_INLINE void add_first(std::int64_t i, std::int64_t count, F f) {
    for (int p = 0; p < kParts && p * lane_count() < count; ++p) {
      const M m = first(count - p * lane_count());
      part[p] = hn::Add(part[p], hn::IfThenElseZero(m, f(i + p * lane_count(), m)));
    }
  }
  HWY_INLINE void add(const VirtualLanes& other) {
    for (int p = 0; p < kParts; ++p) part[p] = hn::Add(part[p], other.part[p]);
  }
  HWY_INLINE float total() const {
    HWY_ALIGN float lane[kVirtualLanes];
    for (int p = 0; p < kParts; ++p) hn::Store(part[p], kTag, lane + p * lane_count());
    for (std::int64_t width = kVirtualLanes / 2; width > 0; width /= 2)
      for (std::int64_t k = 0; k < width; ++k) lane[k] += lane[k + width];
    return lane[0];
  }
};

/// Σ f(i, mask) over [0, count), in two sets of virtual lanes; f gives 0 where masked.
template <class F>
HWY_INLINE float sum_of(std::int64_t count, F f) {
  const M all = first(lane_count());
  VirtualLanes even;
  VirtualLanes odd;
  even.clear();
  odd.clear();
  std::int64_t i = 0;
  for (; i + 2 * kVirtualLanes <= count; i += 2 * kVirtualLanes) {
    even.add(i, all, f);
    odd.add(i + kVirtualLanes, all, f);
  }
  for (; i < count; i += kVirtualLanes) even.add_first(i, count - i, f);
  even.add(odd);
  return even.total();
}

/// The same over any number of elements: short blocks in floats, the sums of blocks in double.
template <class F>
HWY_INLINE double long_sum_of(std::int64_t count, F f) {
  constexpr std::int64_t kPiece = 1024;
  double total = 0;
  for (std::int64_t start = 0; start < count; start += kPiece)
    total += static_cast<double>(sum_of(count - start < kPiece ? count - start : kPiece,
                                        [&](std::int64_t i, M mask)
                                            HWY_ATTR { return f(start + i, mask); }));
  return total;
}

/// e^x; Highway's own loses NaN and ends at 104.
HWY_INLINE V exp_of(V x) {
  const V y = hn::Exp(kTag, hn::Min(x, set(104.0F)));
  return where(hn::Eq(x, x), y, x);
}

/// 1 / (1 + e^-x), without overflow for either sign.
HWY_INLINE V logistic(V x) {
  const V e = exp_of(hn::Neg(hn::Abs(x)));
  const V big = hn::Div(one(), hn::Add(one(), e));
  return where(hn::Lt(x, zero()), hn::Mul(e, big), big);
}

/// tanh by its odd series near zero, where Highway's loses relative accuracy, and by e^-2|x|
/// beyond.
HWY_INLINE V tanh_of(V x) {
  const V size = hn::Abs(x);
  const V e = exp_of(hn::Mul(set(-2.0F), size));
  const V far = hn::Div(hn::Sub(one(), e), hn::Add(one(), e));
  const V s = hn::Mul(x, x);
  V series = set(-1382.0F / 155925.0F);
  series = hn::MulAdd(series, s, set(62.0F / 2835.0F));
  series = hn::MulAdd(series, s, set(-17.0F / 315.0F));
  series = hn::MulAdd(series, s, set(2.0F / 15.0F));
  series = hn::MulAdd(series, s, set(-1.0F / 3.0F));
  const V near = hn::MulAdd(hn::Mul(series, s), size, size);
  return hn::CopySign(where(hn::Lt(size, set(0.35F)), near, far), x);
}

/// e^x - 1 without cancellation near zero.
HWY_INLINE V expm1_of(V x) {
  const V s = hn::MulAdd(
      x, hn::MulAdd(x, hn::MulAdd(x, set(1.0F / 120), set(1.0F / 24)), set(1.0F / 6)), set(0.5F));
  const V near = hn::MulAdd(hn::Mul(s, x), x, x);
  return where(hn::Lt(hn::Abs(x), set(0.1F)), near, hn::Sub(exp_of(x), one()));
}

/// 1 - erf(x), to a relative error of about 3e-7 · max(1, x²): with t = 1 / (1 + |x|/2),
/// erfc |x| = t · e^(p(t) - x²), where p is the polynomial of degree 9 that fits
/// log(erfc(x) e^(x²) / t) at Chebyshev points of 0 < t < 1.
HWY_INLINE V erfc_of(V x) {
  const V size = hn::Abs(x);
  const V t = hn::Div(one(), hn::MulAdd(set(0.5F), size, one()));
  V p = set(0.170893049F);
  p = hn::MulAdd(p, t, set(-0.822248525F));
  p = hn::MulAdd(p, t, set(1.48870847F));
  p = hn::MulAdd(p, t, set(-1.13541464F));
  p = hn::MulAdd(p, t, set(0.279004998F));
  p = hn::MulAdd(p, t, set(-0.186341849F));
  p = hn::MulAdd(p, t, set(0.0967966021F));
  p = hn::MulAdd(p, t, set(0.374090408F));
  p = hn::MulAdd(p, t, set(1.00002377F));
  p = hn::MulAdd(p, t, set(-1.26551223F));
  const V tail = hn::Mul(t, exp_of(hn::NegMulAdd(size, size, p)));
  return where(hn::Lt(x, zero()), hn::Sub(set(2.0F), tail), tail);
}

}  // namespace chop::runtime::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // CH_SIMD_MATH_INL
