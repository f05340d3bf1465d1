// What a format does to one value, ready for loops: no names, no maps, only numbers.
//
// Each format keeps its numbers in a struct of its own. All other code sees an Element: those
// bytes, and what loops must know of any format. Formats whose values share something (an exponent,
// a scale) complete a copy of their element for every group of values.
#pragma once

#include <new>
#include <type_traits>

#include "support/rng.hpp"

namespace chop::formats {

class Element {
 public:
  Element() = default;
  template <class Own>
  static Element of(const Own& own) {
    static_assert(sizeof(Own) <= kRoom && std::is_trivially_copyable_v<Own>);
    Element element;
    element.type_ = &kTypeOf<Own>;
    new (element.bytes_.data()) Own(own);
    return element;
  }

  /// The struct it was made of.
  template <class Own>
  const Own& as() const {
    assert(type_ == &kTypeOf<Own> && "the element of another format");
    return *std::launder(reinterpret_cast<const Own*>(bytes_.data()));
  }
  template <class Own>
  Own& as() {
    return const_cast<Own&>(static_cast<const Element&>(*this).as<Own>());
  }

  float shared = 0;  ///< what the group shares, as it is stored: exponent, bias or scale
  Stream stream{0, "quantise"};  ///< of formats that draw numbers

 private:
  static constexpr std::size_t kRoom = 64;
  template <class Own>
  static constexpr char kTypeOf = 0;

  const char* type_ = nullptr;
  alignas(8) std::array<std::byte, kRoom> bytes_;
};

}  // namespace chop::formats
