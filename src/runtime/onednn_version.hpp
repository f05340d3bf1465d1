// What differs between oneDNN 2 (Debian 12) and oneDNN 3 (Debian 13). No other file knows.
#pragma once

#include <oneapi/dnnl/dnnl.hpp>

#include "support/layers.hpp"

namespace chop::runtime {

/// Memory that must be free for the code and the buffers of its first product. Without it, version
/// 2 reads through a null pointer, and version 3 throws where the exception ends the program.
inline constexpr std::size_t kOnednnRoom = std::size_t{DNNL_VERSION_MAJOR >= 3 ? 40 : 24} << 20;

/// The same for the code and the tables of any further primitive.
inline constexpr std::size_t kOnednnRoomOfPrimitive = std::size_t{8} << 20;

/// How a primitive would run. `what` are its kind, algorithm, tensors and geometry: version 2 takes
/// them as an object of their own, version 3 one by one.
template <class Primitive, class... What>
typename Primitive::primitive_desc describe_primitive(const dnnl::engine& engine,
                                                      const dnnl::primitive_attr& attributes,
                                                      const What&... what) {
#if DNNL_VERSION_MAJOR >= 3
  return {engine, what..., attributes};
#else
  return {typename Primitive::desc(what...), attributes, engine};
#endif
}

/// The same for the gradient of a primitive that is described by `forward`.
template <class Gradient, class Forward, class... What>
typename Gradient::primitive_desc describe_gradient(const dnnl::engine& engine,
                                                    const dnnl::primitive_attr& attributes,
                                                    const Forward& forward, const What&... what) {
#if DNNL_VERSION_MAJOR >= 3
  return {engine, what..., forward, attributes};
#else
  return {typename Gradient::desc(what...), attributes, engine, forward};
#endif
}

}  // namespace chop::runtime
