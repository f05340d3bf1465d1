// What a group shares, looked up by its largest magnitude instead of computed with logarithms.
//
// Shared exponents and biases are whole numbers that follow the largest magnitude: over an octave
// [2^k, 2^(k+1)) of float32 they change at most once. So one bound per octave, found by asking the
// definition, says for every float what the definition would.
#pragma once

#include <bit>

#include "formats/element.hpp"

namespace chop::formats {
struct FormatDef;
}

namespace chop::formats {

class ShareTable {
 public:
  struct Entry {
    Element element;
    bool fast = false;  ///< the fast loop gives its bits
  };

  /// Nothing for a format whose groups share something else.
  static std::optional<ShareTable> make(const FormatDef& def, const Element& base);

  /// What def.share makes of the base for a finite magnitude.
  const Entry& at(float abs_max) const {
    const auto bits = std::bit_cast<std::uint32_t>(abs_max);
    const Octave& octave = octaves_[octave_of(bits)];
    return entries_[bits < octave.turn ? octave.below : octave.above];
  }

 private:
  static constexpr std::uint32_t kNormal = 1U << 23U;  ///< the bits of 2^-126
  static constexpr std::size_t kOctaves = 23 + 255;

  struct Octave {
    std::uint32_t turn = 0;  ///< bits from which on `above` applies
    std::uint16_t below = 0;
    std::uint16_t above = 0;
  };

  /// Zero is an octave of its own, and each power of two below the normal range.
  static std::size_t octave_of(std::uint32_t bits) {
    return bits < kNormal ? static_cast<std::size_t>(std::bit_width(bits)) : 23 + (bits >> 23U);
  }
  static std::uint32_t first_of(std::size_t octave);

  std::array<Octave, kOctaves> octaves_{};
  std::vector<Entry> entries_;
};

}  // namespace chop::formats
