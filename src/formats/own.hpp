// Lets the functions of a format take its own struct instead of an Element:
//
//   struct Step { float scale, low, high; };
//   Step element(const Config& config);
//   float quantise(float x, const Step& step);
//   ... .codec = codec_of<element, quantise, encode, decode>, .grid = own<grid> ...
//
// The struct of a format whose values share something has a member `float shared`.
#pragma once

#include "formats/format_def.hpp"

namespace chop::formats {

/// The value's random number: the n-th of the run's stream.
struct Draw {
  const Stream& stream;
  std::uint64_t index;
  double uniform() const { return stream.uniform(index); }
};

namespace detail {

template <auto f, class Type = decltype(f)>
struct Adapt;

template <auto f, class Own>
struct Adapt<f, Own (*)(const Config&)> {
  static Element call(const Config& config) { return Element::of(f(config)); }
};
/// quantise and encode.
template <auto f, class To, class Own>
struct Adapt<f, To (*)(float, const Own&)> {
  static To call(float x, const Element& element, std::uint64_t /*index*/) {
    return f(x, element.as<Own>());
  }
};
/// The same, drawn.
template <auto f, class To, class Own>
struct Adapt<f, To (*)(float, const Own&, const Draw&)> {
  static To call(float x, const Element& element, std::uint64_t index) {
    return f(x, element.as<Own>(), {element.stream, index});
  }
};
/// decode
template <auto f, class Own>
struct Adapt<f, float (*)(std::int64_t, const Own&)> {
  static float call(std::int64_t code, const Element& element) {
    return f(code, element.as<Own>());
  }
};
template <auto f, class Own>
struct Adapt<f, void (*)(Own&, const GroupFacts&)> {
  static void call(Element& element, const GroupFacts& facts) {
    f(element.as<Own>(), facts);
    element.shared = element.as<Own>().shared;
  }
};
/// restore
template <auto f, class Own>
struct Adapt<f, void (*)(Own&, float)> {
  static void call(Element& element, float shared) {
    f(element.as<Own>(), shared);
    element.shared = element.as<Own>().shared;
  }
};
/// initial
template <auto f, class Own>
struct Adapt<f, float (*)(const Own&, double)> {
  static float call(const Element& element, double abs_mean) {
    return f(element.as<Own>(), abs_mean);
  }
};
/// fast_suits
template <auto f, class Own>
struct Adapt<f, bool (*)(const Own&)> {
  static bool call(const Element& element) { return f(element.as<Own>()); }
};
template <auto f, class Own>
requires(!std::is_same_v<Own, Config>) struct Adapt<f, Grid (*)(const Own&)> {
  static Grid call(const Element& element) { return f(element.as<Own>()); }
};

}  // namespace detail

/// A field of FormatDef from a function of the format's own struct.
template <auto f>
inline constexpr auto own = &detail::Adapt<f>::call;

template <auto element, auto quantise, auto encode, auto decode>
inline constexpr Codec codec_of = {own<element>, own<quantise>, own<encode>, own<decode>};

}  // namespace chop::formats
