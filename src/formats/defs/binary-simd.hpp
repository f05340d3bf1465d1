// The numbers of binary.cpp, and its vector form.
#ifndef CH_SIMD_BINARY
#define CH_SIMD_BINARY

#include "formats/fast.hpp"

namespace chop::formats::binary {

struct Levels {
  float low = -1;
  float high = 1;
  bool strict = false;      ///< zero counts as negative
  bool stochastic = false;  ///< compared with a random number
  float shared = 0;
};
FastLoop fast_loop();

}  // namespace chop::formats::binary
#endif

#ifdef CH_VECTOR_FORMS
namespace chop::formats::HWY_NAMESPACE::binary {

template <bool kStrict>
struct Vector {
  V low, high;
  explicit Vector(const formats::binary::Levels& e) : low(set(e.low)), high(set(e.high)) {}
  HWY_INLINE V operator()(V x) const {
    const M up = kStrict ? hn::Gt(x, set(0.0F)) : hn::Ge(x, set(0.0F));
    return where(hn::IsNaN(x), x, where(up, high, low));
  }
};
template <class Use>
HWY_INLINE void with_vector(const Element& element, Use use) {
  const auto& e = element.as<formats::binary::Levels>();
  e.strict ? use(Vector<true>(e)) : use(Vector<false>(e));
}

}  // namespace chop::formats::HWY_NAMESPACE::binary
#endif
