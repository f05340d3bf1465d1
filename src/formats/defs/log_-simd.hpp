// What formats of powers of two share with log_.cpp, and their vector form.
#ifndef CH_SIMD_LOG
#define CH_SIMD_LOG

#include "formats/fast.hpp"

namespace chop::formats::log_ {

struct Powers {
  int bits = 0;  ///< of the exponent
  int bias = 0;
  int e_min = 0;
  int e_max = 0;
  float epsilon = 0;  ///< added before the logarithm
  float shared = 0;   ///< the bias, where a block shares it
  int most_bias = 0;  ///< and the greatest that it may share
};
void set_bias(Powers& e, int bias);
float quantise(float x, const Powers& e);
std::int64_t encode(float x, const Powers& e);
float decode(std::int64_t code, const Powers& e);
FastLoop fast_loop();

}  // namespace chop::formats::log_
#endif

#ifdef CH_VECTOR_FORMS
namespace chop::formats::HWY_NAMESPACE::log_ {

template <bool kTiny>  // exponents below float32's normal range
struct Vector {
  int e_min, e_max;
  V epsilon;
  explicit Vector(const formats::log_::Powers& e)
      : e_min(e.e_min), e_max(e.e_max), epsilon(set(e.epsilon)) {}
  HWY_INLINE V operator()(V x) const {
    V b = hn::Add(hn::Abs(x), epsilon);
    I moved = ints(0);
    if constexpr (kTiny) {
      const M tiny = hn::Lt(b, set(0x1p-126F));
      b = where(tiny, hn::Mul(b, set(0x1p64F)), b);
      moved = hn::And(hn::BitCast(kInts, hn::VecFromMask(kTag, tiny)), ints(64));
    }
    const I exponent = clamp_to(round_log2(b, moved), e_min, e_max);
    const V power = kTiny ? wide_pow2_of(exponent) : pow2_of(exponent);
    const V q = where(hn::Lt(hn::Add(x, epsilon), set(0.0F)), hn::Neg(power), power);
    return where(hn::IsNaN(x), x, q);
  }
};
template <class Use>
HWY_INLINE void with_vector(const Element& element, Use use) {
  const auto& e = element.as<formats::log_::Powers>();
  e.e_min < -126 ? use(Vector<true>(e)) : use(Vector<false>(e));
}

}  // namespace chop::formats::HWY_NAMESPACE::log_
#endif
