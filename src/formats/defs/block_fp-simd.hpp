// The numbers of block_fp.cpp, and its vector form.
#ifndef CH_SIMD_BLOCK_FP
#define CH_SIMD_BLOCK_FP

#include "formats/fast.hpp"

namespace chop::formats::block_fp {

struct Block {
  int mantissa = 0;  ///< bits
  int bias = 0;
  int e_min = 0;
  int e_max = 0;
  float high = 0;     ///< greatest mantissa, a whole number
  float scale = 1;    ///< 2^(mantissa - exponent)
  float unscale = 1;  ///< 2^-mantissa
  float power = 1;    ///< 2^exponent
  float shared = 0;
};
FastLoop fast_loop();

}  // namespace chop::formats::block_fp
#endif

#ifdef CH_VECTOR_FORMS
namespace chop::formats::HWY_NAMESPACE::block_fp {

struct Vector {
  V scale, unscale, power, high;
  explicit Vector(const formats::block_fp::Block& e)
      : scale(set(e.scale)), unscale(set(e.unscale)), power(set(e.power)), high(set(e.high)) {}
  HWY_INLINE V operator()(V x) const {
    const V n = hn::Round(hn::Mul(hn::Add(hn::Abs(x), set(1e-9F)), scale));
    const V q = hn::Mul(hn::Mul(where(hn::Gt(n, high), high, n), unscale), power);
    return unless_near_zero(x, signed_as(q, x));
  }
};
template <class Use>
HWY_INLINE void with_vector(const Element& element, Use use) {
  use(Vector(element.as<formats::block_fp::Block>()));
}

}  // namespace chop::formats::HWY_NAMESPACE::block_fp
#endif
