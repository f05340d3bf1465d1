// What formats of minifloats share with minifloat_ieee.cpp, and their vector form.
#ifndef CH_SIMD_MINIFLOAT_IEEE
#define CH_SIMD_MINIFLOAT_IEEE

#include "formats/numbers.hpp"

namespace chop::formats::minifloat_ieee {

MinifloatParts parts(float x, const Minifloat& e);
float value(const MinifloatParts& p, const Minifloat& e);
FastLoop fast_loop();

}  // namespace chop::formats::minifloat_ieee
#endif

#ifdef CH_VECTOR_FORMS
namespace chop::formats::HWY_NAMESPACE::minifloat_ieee {

struct Vector {  // subnormal: as if the exponent were one more and there were no implicit one
  int e_min, e_max;
  I mantissa, least;
  V one, high;
  explicit Vector(const Minifloat& e)
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
template <class Use>
HWY_INLINE void with_vector(const Element& element, Use use) {
  use(Vector(element.as<Minifloat>()));
}

}  // namespace chop::formats::HWY_NAMESPACE::minifloat_ieee
#endif
