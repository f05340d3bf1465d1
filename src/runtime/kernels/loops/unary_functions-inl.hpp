// Elementwise functions over vectors: each a struct with `value` and `slope`, whose settings
// are p and q. Compiled once per instruction set, from unary.cpp. Those of mathematics and
// arithmetic are in math_functions-inl.hpp.
#if defined(CH_UNARY_FUNCTIONS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef CH_UNARY_FUNCTIONS_INL
#undef CH_UNARY_FUNCTIONS_INL
#else
#define CH_UNARY_FUNCTIONS_INL
#endif

#include "runtime/simd_math-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace chop::runtime::kernels::HWY_NAMESPACE {
using namespace chop::runtime::simd::HWY_NAMESPACE;

struct Relu {
  static V value(V x, float, float) { return where(hn::Lt(x, zero()), zero(), x); }
  static V slope(V, V y, float, float) { return where(hn::Gt(y, zero()), one(), zero()); }
};
struct Hardtanh {  // p = min, q = max; relu6 is (0, 6)
  static V value(V x, float p, float q) {
    return where(hn::Lt(x, set(p)), set(p), where(hn::Gt(x, set(q)), set(q), x));
  }
  static V slope(V, V y, float p, float q) {
    return where(hn::Or(hn::Le(y, set(p)), hn::Ge(y, set(q))), zero(), one());
  }
};
struct LeakyRelu {  // p = slope below zero
  static V value(V x, float p, float) { return where(hn::Gt(x, zero()), x, hn::Mul(x, set(p))); }
  static V slope(V x, V, float p, float) { return where(hn::Gt(x, zero()), one(), set(p)); }
};
struct Elu {  // p = alpha, q = scale (selu)
  static V value(V x, float p, float q) {
    const V negative = hn::Mul(set(p * q), expm1_of(x));
    return where(hn::Le(x, zero()), negative, hn::Mul(set(q), x));
  }
  static V slope(V x, V, float p, float q) {
    return where(hn::Le(x, zero()), hn::Mul(set(p * q), exp_of(x)), set(q));
  }
};
struct Sigmoid {
  static V value(V x, float, float) { return logistic(x); }
  static V slope(V, V y, float, float) { return hn::Mul(y, hn::Sub(one(), y)); }
};
struct Silu {
  static V value(V x, float, float) { return hn::Mul(x, logistic(x)); }
  static V slope(V x, V, float, float) {
    const V s = logistic(x);
    return hn::MulAdd(hn::Mul(x, s), hn::Sub(one(), s), s);
  }
};
struct Tanh {
  static V value(V x, float, float) { return tanh_of(x); }
  static V slope(V, V y, float, float) { return hn::NegMulAdd(y, y, one()); }
};
struct Hardsigmoid {  // clamp(x / 6 + 1/2, 0, 1)
  static V value(V x, float, float) {
    const V line = hn::Div(hn::Add(x, set(3.0F)), set(6.0F));
    return where(hn::Lt(x, set(-3.0F)), zero(), where(hn::Gt(x, set(3.0F)), one(), line));
  }
  static V slope(V x, V, float, float) {
    return where(hn::And(hn::Gt(x, set(-3.0F)), hn::Lt(x, set(3.0F))), set(1.0F / 6.0F), zero());
  }
};
struct Hardswish {
  static V value(V x, float, float) { return hn::Mul(x, Hardsigmoid::value(x, 0, 0)); }
  static V slope(V x, V, float, float) {
    const V middle = hn::Add(hn::Div(x, set(3.0F)), set(0.5F));
    return where(hn::Lt(x, set(-3.0F)), zero(), where(hn::Le(x, set(3.0F)), middle, one()));
  }
};
struct Softplus {  // p = beta, q = threshold; log(1 + e^bx) / b, linear beyond the threshold
  static V value(V x, float p, float q) {
    const V bx = hn::Mul(x, set(p));
    const V e = exp_of(hn::Neg(hn::Abs(bx)));
    const V above = where(hn::Gt(bx, zero()), bx, zero());
    const V soft = hn::Div(hn::Add(hn::Log1p(kTag, e), above), set(p));
    return where(hn::Gt(bx, set(q)), x, soft);
  }
  static V slope(V x, V, float p, float q) {
    const V bx = hn::Mul(x, set(p));
    return where(hn::Gt(bx, set(q)), one(), logistic(bx));
  }
};
struct Softsign {
  static V value(V x, float, float) { return hn::Div(x, hn::Add(one(), hn::Abs(x))); }
  static V slope(V x, V, float, float) {
    const V r = hn::Div(one(), hn::Add(one(), hn::Abs(x)));
    return hn::Mul(r, r);
  }
};
struct GeluErf {  // x/2 · erfc(-x/√2)
  static V half_erfc(V x) {
    return hn::Mul(set(0.5F), erfc_of(hn::Mul(set(-0.70710678118654752F), x)));
  }
  static V value(V x, float, float) { return hn::Mul(x, half_erfc(x)); }
  static V slope(V x, V, float, float) {
    const V bell = exp_of(hn::Mul(hn::Mul(set(-0.5F), x), x));
    const V density = hn::Mul(set(0.39894228040143268F), bell);
    return hn::MulAdd(x, density, half_erfc(x));
  }
};
struct GeluTanh {  // x/2 (1 + tanh u), which is x / (1 + e^-2u); u = √(2/π) (x + 0.044715 x³)
  static V inner(V x) {
    const V cube = hn::Mul(hn::Mul(x, x), x);
    return hn::Mul(set(0.7978845608028654F), hn::MulAdd(set(0.044715F), cube, x));
  }
  static V value(V x, float, float) { return hn::Mul(x, logistic(hn::Mul(set(2.0F), inner(x)))); }
  static V slope(V x, V, float, float) {
    const V u = inner(x);
    const V s = logistic(hn::Mul(set(2.0F), u));
    const V du =
        hn::Mul(set(0.7978845608028654F), hn::MulAdd(set(3 * 0.044715F), hn::Mul(x, x), one()));
    const V bend = hn::Mul(hn::Mul(hn::Add(x, x), hn::Mul(s, hn::Sub(one(), s))), du);
    const V far = where(hn::Gt(u, zero()), one(), zero());
    return where(hn::Gt(hn::Abs(u), set(40.0F)), far, hn::Add(s, bend));
  }
};
struct Clamp {  // p = min, q = max, which wins
  static V value(V x, float p, float q) {
    const V above = where(hn::Lt(x, set(p)), set(p), x);
    return where(hn::Gt(above, set(q)), set(q), above);
  }
  static V slope(V x, V, float p, float q) {
    return where(hn::And(hn::Ge(x, set(p)), hn::Le(x, set(q))), one(), zero());
  }
};
struct ThresholdedRelu {  // p = alpha
  static V value(V x, float p, float) { return where(hn::Le(x, set(p)), zero(), x); }
  static V slope(V x, V, float p, float) { return where(hn::Le(x, set(p)), zero(), one()); }
};
struct Shrink {  // p = lambd, q = bias
  static V value(V x, float p, float q) {
    const V low = where(hn::Lt(x, set(-p)), hn::Add(x, set(q)), zero());
    const V y = where(hn::Gt(x, set(p)), hn::Sub(x, set(q)), low);
    return where(hn::Eq(x, x), y, x);
  }
  static V slope(V x, V, float p, float) {
    return where(hn::Or(hn::Lt(x, set(-p)), hn::Gt(x, set(p))), one(), zero());
  }
};
struct Celu {  // p = alpha
  static V value(V x, float p, float) {
    return where(hn::Le(x, zero()), hn::Mul(set(p), expm1_of(hn::Div(x, set(p)))), x);
  }
  static V slope(V x, V, float p, float) {
    return where(hn::Le(x, zero()), exp_of(hn::Div(x, set(p))), one());
  }
};

}  // namespace chop::runtime::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // CH_UNARY_FUNCTIONS_INL
