// The vector form of minifloat_denorm.cpp.
#ifndef CH_SIMD_MINIFLOAT_DENORM
#define CH_SIMD_MINIFLOAT_DENORM

#include "formats/numbers.hpp"

namespace chop::formats::minifloat_denorm {

FastLoop fast_loop();

}  // namespace chop::formats::minifloat_denorm
#endif

#ifdef CH_VECTOR_FORMS
namespace chop::formats::HWY_NAMESPACE::minifloat_denorm {

struct Vector {
  int e_min, e_max;
  I mantissa;
  V high;
  explicit Vector(const Minifloat& e)
      : e_min(e.e_min), e_max(e.e_max), mantissa(ints(e.mantissa)), high(set(e.high)) {}
  HWY_INLINE V operator()(V x) const {
    const V a = hn::Abs(x);
    const I shift = hn::Sub(mantissa, clamp_to(ceil_log2(hn::Add(a, set(1e-9F))), e_min, e_max));
    const V n = hn::Round(hn::Mul(a, pow2_of(shift)));
    const V q = hn::Mul(where(hn::Gt(n, high), high, n), pow2_of(hn::Neg(shift)));
    return unless_near_zero(x, signed_as(q, x));
  }
};
template <class Use>
HWY_INLINE void with_vector(const Element& element, Use use) {
  use(Vector(element.as<Minifloat>()));
}

}  // namespace chop::formats::HWY_NAMESPACE::minifloat_denorm
#endif
