// The numbers of mxint.cpp, and its vector form.
#ifndef CH_SIMD_MXINT
#define CH_SIMD_MXINT

#include "formats/fast.hpp"

namespace chop::formats::mxint {

struct Block {
  float scale = 1;  ///< times scale2: 2^(mantissa - S)
  float scale2 = 1;
  float unscale = 1;
  float low = 0;
  float high = 0;
  int mantissa = 0;  ///< bits
  int bias = 0;      ///< of the shared exponent
  int e_min = 0;
  int e_max = 0;
  float shared = 0;
};
FastLoop fast_loop();

}  // namespace chop::formats::mxint
#endif

#ifdef CH_VECTOR_FORMS
namespace chop::formats::HWY_NAMESPACE::mxint {

struct Vector {
  V scale, scale2, unscale, low, high;
  explicit Vector(const formats::mxint::Block& e)
      : scale(set(e.scale)),
        scale2(set(e.scale2)),
        unscale(set(e.unscale)),
        low(set(e.low)),
        high(set(e.high)) {}
  HWY_INLINE V operator()(V x) const {
    const V scaled = hn::Mul(hn::Mul(x, scale), scale2);
    return hn::Mul(clamp_to(nearest(scaled), low, high), unscale);
  }
};
template <class Use>
HWY_INLINE void with_vector(const Element& element, Use use) {
  use(Vector(element.as<formats::mxint::Block>()));
}

}  // namespace chop::formats::HWY_NAMESPACE::mxint
#endif
