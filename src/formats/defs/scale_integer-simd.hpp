// The numbers of scale_integer.cpp, and its vector form.
#ifndef CH_SIMD_SCALE_INTEGER
#define CH_SIMD_SCALE_INTEGER

#include "formats/fast.hpp"

namespace chop::formats::scale_integer {

struct Scaled {
  float scale = 1;
  float low = 0;
  float high = 0;
  float top = 0;  ///< what the largest magnitude of a group becomes
  float shared = 0;
};
FastLoop fast_loop();

}  // namespace chop::formats::scale_integer
#endif

#ifdef CH_VECTOR_FORMS
namespace chop::formats::HWY_NAMESPACE::scale_integer {

struct Vector {
  V scale, low, high;
  explicit Vector(const formats::scale_integer::Scaled& e)
      : scale(set(e.scale)), low(set(e.low)), high(set(e.high)) {}
  HWY_INLINE V operator()(V x) const {
    return hn::Div(clamp_to(nearest(hn::Mul(x, scale)), low, high), scale);
  }
};
template <class Use>
HWY_INLINE void with_vector(const Element& element, Use use) {
  use(Vector(element.as<formats::scale_integer::Scaled>()));
}

}  // namespace chop::formats::HWY_NAMESPACE::scale_integer
#endif
