// The numbers of mxfp.cpp, and its vector form.
#ifndef CH_SIMD_MXFP
#define CH_SIMD_MXFP

#include "formats/fast.hpp"

namespace chop::formats::mxfp {

struct Block {
  int mantissa = 0;  ///< bits of the fraction
  int bias = 0;      ///< of the shared exponent
  int e_min = 0;     ///< exponents, the shared one added
  int e_max = 0;
  float high = 0;  ///< greatest number
  float shared = 0;
};
FastLoop fast_loop();

}  // namespace chop::formats::mxfp
#endif

#ifdef CH_VECTOR_FORMS
namespace chop::formats::HWY_NAMESPACE::mxfp {

struct Vector {
  int e_min, e_max;
  I mantissa;
  V high;
  explicit Vector(const formats::mxfp::Block& e)
      : e_min(e.e_min), e_max(e.e_max), mantissa(ints(e.mantissa)), high(set(e.high)) {}
  HWY_INLINE V operator()(V x) const {
    const V magnitude = hn::Abs(x);
    const V a = where(hn::Gt(magnitude, high), high, magnitude);
    const I shift = hn::Sub(mantissa, clamp_to(fields_of(a).exponent, e_min, e_max));
    return signed_as(hn::Mul(hn::Round(hn::Mul(a, pow2_of(shift))), pow2_of(hn::Neg(shift))), x);
  }
};
template <class Use>
HWY_INLINE void with_vector(const Element& element, Use use) {
  use(Vector(element.as<formats::mxfp::Block>()));
}

}  // namespace chop::formats::HWY_NAMESPACE::mxfp
#endif
