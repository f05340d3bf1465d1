// What the vector forms of formats (formats/defs/NAME-simd.hpp) are made of. Compiled once per
// instruction set; include it after foreach_target.h.
//
// Exponents come from the bits of a float, never from a logarithm. What PyTorch's float32
// logarithm rounds to near a power of two (or near a half) is the only thing the bits do not
// say; there a straight line stands for the logarithm, and one float32 addition rounds as the
// logarithm would. docs/numerics.md has the argument, the tests compare every binade.
#if defined(CH_FORMATS_VECTOR_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef CH_FORMATS_VECTOR_INL
#undef CH_FORMATS_VECTOR_INL
#else
#define CH_FORMATS_VECTOR_INL
#endif

#include "formats/grid.hpp"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace chop::formats::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Tag = hn::ScalableTag<float>;
using IntTag = hn::RebindToSigned<Tag>;
using V = hn::Vec<Tag>;
using I = hn::Vec<IntTag>;
using M = hn::Mask<Tag>;
constexpr Tag kTag{};
constexpr IntTag kInts{};

HWY_INLINE V set(float x) {
  return hn::Set(kTag, x);
}
HWY_INLINE I ints(int x) {
  return hn::Set(kInts, x);
}
HWY_INLINE V where(M m, V yes, V no) {
  return hn::IfThenElse(m, yes, no);
}
/// NaN stays, and so does -0 at a bound of 0.
HWY_INLINE V clamp_to(V x, V low, V high) {
// Max and Min of x86's instructions give the second operand where one is NaN, and of 0 and -0;
// Highway's emulation without instructions gives the one that is not NaN.
#if HWY_ARCH_X86 && HWY_TARGET != HWY_EMU128 && HWY_TARGET != HWY_SCALAR
  return hn::Min(high, hn::Max(low, x));
#else
  return where(hn::Lt(x, low), low, where(hn::Gt(x, high), high, x));
#endif
}
/// 2^k for k in [-126, 127].
HWY_INLINE V pow2_of(I k) {
  return hn::BitCast(kTag, hn::ShiftLeft<23>(hn::Add(k, ints(127))));
}
/// 2^k for k in [-149, 127].
HWY_INLINE V wide_pow2_of(I k) {
  const I half = hn::ShiftRight<1>(k);
  return hn::Mul(pow2_of(half), pow2_of(hn::Sub(k, half)));
}
HWY_INLINE V signed_as(V magnitude, V x) {
  return hn::CopySign(magnitude, x);
}
/// `whole`, which is x rounded, with the sign of x: without instructions that round (before SSE4)
/// Highway loses that of -0.
HWY_INLINE V with_sign_of_zero(V whole, [[maybe_unused]] V x) {
#if HWY_TARGET <= HWY_AVX2 || HWY_ARCH_ARM
  return whole;
#else
  return signed_as(hn::Abs(whole), x);
#endif
}
/// The nearest whole number, half to even.
HWY_INLINE V nearest(V x) {
  return with_sign_of_zero(hn::Round(x), x);
}
/// The largest whole number that is not above x.
HWY_INLINE V floor_of(V x) {
  return with_sign_of_zero(hn::Floor(x), x);
}

/// Exponent and mantissa field of a positive normal number.
struct Fields {
  I exponent;
  I mantissa;
};
HWY_INLINE Fields fields_of(V x) {
  const I bits = hn::BitCast(kInts, x);
  return {hn::Sub(hn::ShiftRight<23>(bits), ints(127)), hn::And(bits, ints(0x7FFFFF))};
}
/// k, or k + 1 where the mask holds.
HWY_INLINE I plus_one(I k, M mask) {
  return hn::Sub(k, hn::BitCast(kInts, hn::VecFromMask(kTag, mask)));
}

constexpr float kUlpUp = 0x1.715476p-23F;    // log2(e) · 2^-23: slope just above a power of two
constexpr float kUlpDown = 0x1.715476p-24F;  // and just below one
constexpr float kUlpHalf = 0x1.0527dcp-23F;  // log2(e) / √2 · 2^-23: slope at √2
constexpr int kRootTwo = 3474675;            // whole part of (√2 - 1) · 2^23
constexpr float kRootTwoRest = 0.2030314F;   // and the rest

/// ⌈log2 x⌉ as PyTorch finds it in float32.
HWY_INLINE I ceil_log2(V x) {
  const Fields f = fields_of(x);
  const V k = hn::ConvertTo(kTag, f.exponent);
  const V above = hn::Mul(hn::ConvertTo(kTag, f.mantissa), set(kUlpUp));
  return plus_one(f.exponent, hn::Gt(hn::Add(k, above), k));
}
/// ⌊log2 x⌋ likewise.
HWY_INLINE I floor_log2(V x) {
  const Fields f = fields_of(x);
  const V next = hn::ConvertTo(kTag, hn::Add(f.exponent, ints(1)));
  const V left = hn::ConvertTo(kTag, hn::Sub(ints(0x800000), f.mantissa));
  const V below = hn::Mul(left, set(kUlpDown));
  return plus_one(f.exponent, hn::Ge(hn::Sub(next, below), next));
}
/// rne(log2(x / 2^moved)) likewise.
HWY_INLINE I round_log2(V x, I moved) {
  const Fields f = fields_of(x);
  const I k = hn::Sub(f.exponent, moved);
  const V half = hn::Add(hn::ConvertTo(kTag, k), set(0.5F));
  const V over =
      hn::Sub(hn::ConvertTo(kTag, hn::Sub(f.mantissa, ints(kRootTwo))), set(kRootTwoRest));
  const V t = hn::Add(half, hn::Mul(over, set(kUlpHalf)));
  const M odd = hn::RebindMask(kTag, hn::Eq(hn::And(k, ints(1)), ints(1)));
  return plus_one(k, hn::Or(hn::Gt(t, half), hn::And(hn::Eq(t, half), odd)));
}
HWY_INLINE I clamp_to(I k, int low, int high) {
  return hn::Min(hn::Max(k, ints(low)), ints(high < 127 ? high : 127));
}
/// Values near zero pass through, -0 as 0.
HWY_INLINE V unless_near_zero(V x, V q) {
  return where(hn::Le(hn::Abs(x), set(1e-8F)), hn::Add(x, set(0.0F)), q);
}

/// Onto a grid whose step is a power of two.
struct OnGrid {
  V scale, step, low, high;
  explicit OnGrid(const Grid& grid)
      : scale(set(grid.scale())), step(set(grid.step)), low(set(grid.low)), high(set(grid.high)) {}
  HWY_INLINE V operator()(V x) const {
    return hn::Mul(clamp_to(nearest(hn::Mul(x, scale)), low, high), step);
  }
};
struct OnGridDown : OnGrid {
  using OnGrid::OnGrid;
  HWY_INLINE V operator()(V x) const {
    return hn::Mul(clamp_to(floor_of(hn::Mul(x, scale)), low, high), step);
  }
};
/// Onto a grid of any step: dividing by it rounds otherwise than multiplying by 1 / step.
struct OnGridDivided : OnGrid {
  using OnGrid::OnGrid;
  explicit OnGridDivided(const OnGrid& grid) : OnGrid(grid) {}
  HWY_INLINE V operator()(V x) const {
    return hn::Mul(clamp_to(nearest(hn::Div(x, step)), low, high), step);
  }
};
/// use(f) with the form that rounds as the grid does.
template <class Use>
HWY_INLINE void with_grid(const Grid& grid, Use use) {
  if (grid.rounding == Rounding::Down)
    use(OnGridDown(grid));
  else if (grid.is_binary())
    use(OnGrid(grid));
  else
    use(OnGridDivided(grid));
}

}  // namespace chop::formats::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // CH_FORMATS_VECTOR_INL
