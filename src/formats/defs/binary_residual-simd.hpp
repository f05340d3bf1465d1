// The numbers of binary_residual.cpp, and its vector form.
#ifndef CH_SIMD_BINARY_RESIDUAL
#define CH_SIMD_BINARY_RESIDUAL

#include "formats/fast.hpp"

namespace chop::formats::binary_residual {

struct Levels {
  int count = 0;
  std::array<float, 3> mean = {};  ///< of each level
};
FastLoop fast_loop();

}  // namespace chop::formats::binary_residual
#endif

#ifdef CH_VECTOR_FORMS
namespace chop::formats::HWY_NAMESPACE::binary_residual {

struct Vector {
  formats::binary_residual::Levels levels;
  explicit Vector(const formats::binary_residual::Levels& e) : levels(e) {}
  HWY_INLINE V operator()(V x) const {
    V rest = x;
    V sum = set(0.0F);
    for (int l = 0; l < levels.count; ++l) {
      const V mean = set(levels.mean[static_cast<std::size_t>(l)]);
      const V b = where(hn::Ge(rest, set(0.0F)), mean, hn::Neg(mean));
      sum = hn::Add(sum, b);
      rest = hn::Sub(rest, b);
    }
    return where(hn::IsNaN(x), x, sum);
  }
};
template <class Use>
HWY_INLINE void with_vector(const Element& element, Use use) {
  use(Vector(element.as<formats::binary_residual::Levels>()));
}

}  // namespace chop::formats::HWY_NAMESPACE::binary_residual
#endif
