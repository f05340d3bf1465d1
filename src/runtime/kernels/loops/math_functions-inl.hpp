// Elementwise functions of mathematics and arithmetic, in the form of unary_functions-inl.hpp.
// Those that round have no slope worth having: it is zero.
#if defined(CH_MATH_FUNCTIONS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef CH_MATH_FUNCTIONS_INL
#undef CH_MATH_FUNCTIONS_INL
#else
#define CH_MATH_FUNCTIONS_INL
#endif

#include "runtime/simd_math-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace chop::runtime::kernels::HWY_NAMESPACE {
using namespace chop::runtime::simd::HWY_NAMESPACE;

// CopySign: without instructions that round Highway loses the sign of -0.
struct Round {
  static V value(V x, float, float) { return hn::CopySign(hn::Round(x), x); }
  static V slope(V, V, float, float) { return zero(); }
};
struct Floor {
  static V value(V x, float, float) { return hn::CopySign(hn::Floor(x), x); }
  static V slope(V, V, float, float) { return zero(); }
};
struct Ceil {
  static V value(V x, float, float) { return hn::CopySign(hn::Ceil(x), x); }
  static V slope(V, V, float, float) { return zero(); }
};
struct Sign {
  static V value(V x, float, float) {
    return where(hn::Gt(x, zero()), one(), where(hn::Lt(x, zero()), set(-1.0F), zero()));
  }
  static V slope(V, V, float, float) { return zero(); }
};
struct Abs {
  static V value(V x, float, float) { return hn::Abs(x); }
  static V slope(V x, V, float, float) { return Sign::value(x, 0, 0); }
};
struct Neg {
  static V value(V x, float, float) { return hn::Neg(x); }
  static V slope(V, V, float, float) { return set(-1.0F); }
};
struct Sqrt {
  static V value(V x, float, float) { return hn::Sqrt(x); }
  static V slope(V, V y, float, float) { return hn::Div(set(0.5F), y); }
};
struct Reciprocal {
  static V value(V x, float, float) { return hn::Div(one(), x); }
  static V slope(V, V y, float, float) { return hn::Neg(hn::Mul(y, y)); }
};
struct Exp {
  static V value(V x, float, float) { return exp_of(x); }
  static V slope(V, V y, float, float) { return y; }
};
struct Log {
  static V value(V x, float, float) {
    constexpr float kInf = std::numeric_limits<float>::infinity();
    const V inside = where(hn::And(hn::Gt(x, zero()), hn::Lt(x, set(kInf))), x, one());
    const V edge = where(hn::Eq(x, zero()), set(-kInf), set(std::nanf("")));
    const V low = where(hn::Gt(x, zero()), hn::Log(kTag, inside), edge);
    return where(hn::Eq(x, set(kInf)), x, low);
  }
  static V slope(V x, V, float, float) { return hn::Div(one(), x); }
};
/// By its odd series near zero, where 1 - erfc loses relative accuracy.
struct Erf {
  static V value(V x, float, float) {
    const V size = hn::Abs(x);
    const V s = hn::Mul(x, x);
    V series = set(1.0F / 9360);
    series = hn::MulAdd(series, s, set(-1.0F / 1320));
    series = hn::MulAdd(series, s, set(1.0F / 216));
    series = hn::MulAdd(series, s, set(-1.0F / 42));
    series = hn::MulAdd(series, s, set(1.0F / 10));
    series = hn::MulAdd(series, s, set(-1.0F / 3));
    const V near = hn::Mul(set(1.1283791670955126F), hn::MulAdd(hn::Mul(series, s), size, size));
    const V far = hn::Sub(one(), erfc_of(size));
    return hn::CopySign(where(hn::Lt(size, set(0.5F)), near, far), x);
  }
  static V slope(V x, V, float, float) {
    return hn::Mul(set(1.1283791670955126F), exp_of(hn::Neg(hn::Mul(x, x))));
  }
};

}  // namespace chop::runtime::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // CH_MATH_FUNCTIONS_INL
