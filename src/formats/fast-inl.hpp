// Vector forms of the formulas in formats/defs. Compiled once per instruction set; include it
// after foreach_target.h.
//
// Exponents come from the bits of a float, never from a logarithm. What PyTorch's float32
// logarithm rounds to near a power of two (or near a half) is the only thing the bits do not
// say; there a straight line stands for the logarithm, and one float32 addition rounds as the
// logarithm would. docs/numerics.md has the argument, the tests compare every binade.
#if defined(CH_FORMATS_FAST_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef CH_FORMATS_FAST_INL
#undef CH_FORMATS_FAST_INL
#else
#define CH_FORMATS_FAST_INL
#endif

#include <cstddef>
#include <cstdint>

#include "formats/element.hpp"
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
/// NaN stays; a value equal to `low` becomes `low`, so that -0 becomes 0 at a bound of 0.
HWY_INLINE V clamp_to(V x, V low, V high) {
  return where(hn::Le(x, low), low, where(hn::Gt(x, high), high, x));
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

/// One struct per kind: constants in the constructor, one vector at a time in the call.
struct Fixed {
  V scale, scale2, unscale, low, high;
  explicit Fixed(const Element& e)
      : scale(set(e.scale)),
        scale2(set(e.scale2)),
        unscale(set(e.unscale)),
        low(set(e.low)),
        high(set(e.high)) {}
  HWY_INLINE V operator()(V x) const {
    const V scaled = hn::Mul(hn::Mul(x, scale), scale2);
    return hn::Mul(clamp_to(hn::Round(scaled), low, high), unscale);
  }
};
struct FixedFloor : Fixed {
  using Fixed::Fixed;
  HWY_INLINE V operator()(V x) const {
    const V scaled = hn::Mul(hn::Mul(x, scale), scale2);
    return hn::Mul(clamp_to(hn::Floor(scaled), low, high), unscale);
  }
};
struct Scaled : Fixed {
  using Fixed::Fixed;
  HWY_INLINE V operator()(V x) const {
    return hn::Div(clamp_to(hn::Round(hn::Mul(x, scale)), low, high), scale);
  }
};
struct Step : Fixed {
  using Fixed::Fixed;
  HWY_INLINE V operator()(V x) const {
    const V at = hn::Floor(hn::Add(hn::Div(x, scale), set(0.5F)));
    return hn::Mul(clamp_to(at, low, high), scale);
  }
};
struct Affine : Fixed {
  using Fixed::Fixed;
  HWY_INLINE V operator()(V x) const {
    return hn::Mul(clamp_to(hn::Round(hn::Div(x, scale)), low, high), scale);
  }
};
struct Denorm {
  int e_min, e_max;
  I mantissa;
  V high;
  explicit Denorm(const Element& e)
      : e_min(e.e_min), e_max(e.e_max), mantissa(ints(e.mantissa)), high(set(e.high)) {}
  HWY_INLINE V operator()(V x) const {
    const V a = hn::Abs(x);
    const I shift = hn::Sub(mantissa, clamp_to(ceil_log2(hn::Add(a, set(1e-9F))), e_min, e_max));
    const V n = hn::Round(hn::Mul(a, pow2_of(shift)));
    const V q = hn::Mul(where(hn::Gt(n, high), high, n), pow2_of(hn::Neg(shift)));
    return unless_near_zero(x, signed_as(q, x));
  }
};
struct Ieee {  // subnormal: as if the exponent were one more and there were no implicit one
  int e_min, e_max;
  I mantissa, least;
  V one, high;
  explicit Ieee(const Element& e)
      : e_min(e.e_min),
        e_max(e.e_max),
        mantissa(ints(e.mantissa)),
        least(ints(e.e_min)),
        one(set(e.high + 1)),
        high(set(e.high)) {}
  HWY_INLINE V operator()(V x) const {
    const V a = hn::Abs(x);
    const I exponent = clamp_to(floor_log2(hn::Add(a, set(1e-9F))), e_min, e_max);
    const M subnormal = hn::RebindMask(kTag, hn::Eq(exponent, least));
    const I shift = hn::Sub(mantissa, plus_one(exponent, subnormal));
    const V n = hn::Round(hn::Mul(a, pow2_of(shift)));
    const V low = hn::IfThenZeroElse(subnormal, one);
    const V q = hn::Mul(clamp_to(n, low, hn::Add(low, high)), pow2_of(hn::Neg(shift)));
    return unless_near_zero(x, signed_as(q, x));
  }
};
template <bool kTiny>  // exponents below float32's normal range
struct Log {
  int e_min, e_max;
  V epsilon;
  explicit Log(const Element& e) : e_min(e.e_min), e_max(e.e_max), epsilon(set(e.epsilon)) {}
  HWY_INLINE V operator()(V x) const {
    V b = hn::Add(hn::Abs(x), epsilon);
    I moved = ints(0);
    if constexpr (kTiny) {
      const M tiny = hn::Lt(b, set(0x1p-126F));
      b = where(tiny, hn::Mul(b, set(0x1p64F)), b);
      moved = hn::And(hn::BitCast(kInts, hn::VecFromMask(kTag, tiny)), ints(64));
    }
    const I exponent = clamp_to(round_log2(b, moved), e_min, e_max);
    const V power = kTiny ? wide_pow2_of(exponent) : pow2_of(exponent);
    const V q = where(hn::Lt(hn::Add(x, epsilon), set(0.0F)), hn::Neg(power), power);
    return where(hn::IsNaN(x), x, q);
  }
};
struct BlockFp : Fixed {
  using Fixed::Fixed;
  HWY_INLINE V operator()(V x) const {
    const V n = hn::Round(hn::Mul(hn::Add(hn::Abs(x), set(1e-9F)), scale));
    const V q = hn::Mul(hn::Mul(where(hn::Gt(n, high), high, n), unscale), scale2);
    return unless_near_zero(x, signed_as(q, x));
  }
};
struct Mx {
  int e_min, e_max;
  I mantissa;
  V high;
  explicit Mx(const Element& e)
      : e_min(e.e_min), e_max(e.e_max), mantissa(ints(e.mantissa)), high(set(e.high)) {}
  HWY_INLINE V operator()(V x) const {
    const V magnitude = hn::Abs(x);
    const V a = where(hn::Gt(magnitude, high), high, magnitude);
    const I shift = hn::Sub(mantissa, clamp_to(fields_of(a).exponent, e_min, e_max));
    return signed_as(hn::Mul(hn::Round(hn::Mul(a, pow2_of(shift))), pow2_of(hn::Neg(shift))), x);
  }
};
template <bool kStrict>
struct Sign {
  V low, high;
  explicit Sign(const Element& e) : low(set(e.low)), high(set(e.high)) {}
  HWY_INLINE V operator()(V x) const {
    const M up = kStrict ? hn::Gt(x, set(0.0F)) : hn::Ge(x, set(0.0F));
    return where(hn::IsNaN(x), x, where(up, high, low));
  }
};
struct Residual {
  const Element& element;
  explicit Residual(const Element& e) : element(e) {}
  HWY_INLINE V operator()(V x) const {
    V rest = x;
    V sum = set(0.0F);
    for (int l = 0; l < element.count_levels; ++l) {
      const V mean = set(element.levels[static_cast<std::size_t>(l)]);
      const V b = where(hn::Ge(rest, set(0.0F)), mean, hn::Neg(mean));
      sum = hn::Add(sum, b);
      rest = hn::Sub(rest, b);
    }
    return where(hn::IsNaN(x), x, sum);
  }
};
struct Ternary {
  V low, high;
  explicit Ternary(const Element& e) : low(set(e.low)), high(set(e.high)) {}
  HWY_INLINE V operator()(V x) const {
    const V below = where(hn::Lt(x, hn::Neg(low)), hn::Neg(high), set(0.0F));
    return where(hn::IsNaN(x), x, where(hn::Gt(x, low), high, below));
  }
};

}  // namespace chop::formats::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // CH_FORMATS_FAST_INL
