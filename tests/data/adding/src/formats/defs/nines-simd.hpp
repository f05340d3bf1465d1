// The numbers of nines.cpp, and its vector form.
#ifndef CH_SIMD_NINES
#define CH_SIMD_NINES

#include "formats/fast.hpp"

namespace chop::formats::nines {

struct Most {
  float ninths = 0;
};
FastLoop fast_loop();

}  // namespace chop::formats::nines
#endif

#ifdef CH_VECTOR_FORMS
namespace chop::formats::HWY_NAMESPACE::nines {

struct Vector {
  V nine, most;
  explicit Vector(const formats::nines::Most& e) : nine(set(9)), most(set(e.ninths)) {}
  HWY_INLINE V operator()(V x) const {
    return hn::Div(clamp_to(hn::Round(hn::Mul(x, nine)), hn::Neg(most), most), nine);
  }
};
template <class Use>
HWY_INLINE void with_vector(const Element& element, Use use) {
  use(Vector(element.as<formats::nines::Most>()));
}

}  // namespace chop::formats::HWY_NAMESPACE::nines
#endif
