// What formats of fixed point share with integer.cpp, and their vector form.
#ifndef CH_SIMD_INTEGER
#define CH_SIMD_INTEGER

#include "formats/format_def.hpp"

namespace chop::formats::integer {

/// Of the keys width, frac_width and is_signed.
Grid element(const Config& config);
std::optional<OnnxForm> onnx(const Config& config);
FormatDef define();
FastLoop fast_loop();

}  // namespace chop::formats::integer
#endif

#ifdef CH_VECTOR_FORMS
namespace chop::formats::HWY_NAMESPACE::integer {

template <class Use>
HWY_INLINE void with_vector(const Element& element, Use use) {
  with_grid(element.as<Grid>(), use);
}

}  // namespace chop::formats::HWY_NAMESPACE::integer
#endif
