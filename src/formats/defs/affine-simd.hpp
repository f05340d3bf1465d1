// The numbers of affine.cpp, and its vector form.
#ifndef CH_SIMD_AFFINE
#define CH_SIMD_AFFINE

#include "formats/fast.hpp"

namespace chop::formats::affine {

struct Affine {
  float scale = 1;
  float low = 0;  ///< bounds of x / scale: the zero point is in them
  float high = 0;
  int zero = 0;
  float shared = 0;
};
FastLoop fast_loop();

}  // namespace chop::formats::affine
#endif

#ifdef CH_VECTOR_FORMS
namespace chop::formats::HWY_NAMESPACE::affine {

struct Vector {
  V scale, low, high;
  explicit Vector(const formats::affine::Affine& e)
      : scale(set(e.scale)), low(set(e.low)), high(set(e.high)) {}
  HWY_INLINE V operator()(V x) const {
    return hn::Mul(clamp_to(nearest(hn::Div(x, scale)), low, high), scale);
  }
};
template <class Use>
HWY_INLINE void with_vector(const Element& element, Use use) {
  use(Vector(element.as<formats::affine::Affine>()));
}

}  // namespace chop::formats::HWY_NAMESPACE::affine
#endif
