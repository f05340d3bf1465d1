// The numbers of lsq_integer.cpp, and its vector form.
#ifndef CH_SIMD_LSQ_INTEGER
#define CH_SIMD_LSQ_INTEGER

#include "formats/fast.hpp"

namespace chop::formats::lsq_integer {

struct Step {
  float scale = 1;
  float low = 0;
  float high = 0;
  float shared = 0;
};
FastLoop fast_loop();

}  // namespace chop::formats::lsq_integer
#endif

#ifdef CH_VECTOR_FORMS
namespace chop::formats::HWY_NAMESPACE::lsq_integer {

struct Vector {
  V scale, low, high;
  explicit Vector(const formats::lsq_integer::Step& e)
      : scale(set(e.scale)), low(set(e.low)), high(set(e.high)) {}
  HWY_INLINE V operator()(V x) const {
    const V at = floor_of(hn::Add(hn::Div(x, scale), set(0.5F)));
    return hn::Mul(clamp_to(at, low, high), scale);
  }
};
template <class Use>
HWY_INLINE void with_vector(const Element& element, Use use) {
  use(Vector(element.as<formats::lsq_integer::Step>()));
}

}  // namespace chop::formats::HWY_NAMESPACE::lsq_integer
#endif
