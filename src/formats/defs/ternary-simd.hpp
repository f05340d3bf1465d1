// The numbers of ternary.cpp, and its vector form.
#ifndef CH_SIMD_TERNARY
#define CH_SIMD_TERNARY

#include "formats/fast.hpp"

namespace chop::formats::ternary {

struct Levels {
  float threshold = 0;  ///< Δ
  float high = 1;       ///< α
  float given = -1;     ///< the configured threshold; -1: it follows the data
  bool scaled = false;  ///< α follows the data
  float shared = 0;
};
FastLoop fast_loop();

}  // namespace chop::formats::ternary
#endif

#ifdef CH_VECTOR_FORMS
namespace chop::formats::HWY_NAMESPACE::ternary {

struct Vector {
  V threshold, high;
  explicit Vector(const formats::ternary::Levels& e)
      : threshold(set(e.threshold)), high(set(e.high)) {}
  HWY_INLINE V operator()(V x) const {
    const V below = where(hn::Lt(x, hn::Neg(threshold)), hn::Neg(high), set(0.0F));
    return where(hn::IsNaN(x), x, where(hn::Gt(x, threshold), high, below));
  }
};
template <class Use>
HWY_INLINE void with_vector(const Element& element, Use use) {
  use(Vector(element.as<formats::ternary::Levels>()));
}

}  // namespace chop::formats::HWY_NAMESPACE::ternary
#endif
