// Asks the definition at both ends of every octave and, where they differ, searches by bisection
// for the magnitude at which the shared number changes.
#include "formats/share_table.hpp"

#include "formats/format_def.hpp"

namespace chop::formats {
namespace {

/// The first bits in (low, high] from which on is(bits) holds, which it does at `high`.
template <class Is>
std::uint32_t first_where(std::uint32_t low, std::uint32_t high, Is is) {
  // is() changes within a few roundings of a power of two, so both ends are tried first.
  constexpr std::uint32_t kNear = 64;
  if (high - low > 2 * kNear) {
    if (is(low + kNear))
      high = low + kNear;
    else if (!is(high - kNear))
      low = high - kNear;
  }
  while (high - low > 1) {
    const std::uint32_t middle = low + (high - low) / 2;
    (is(middle) ? high : low) = middle;
  }
  return high;
}

}  // namespace

std::uint32_t ShareTable::first_of(std::size_t octave) {
  if (octave == 0) return 0;
  if (octave < 24) return 1U << (octave - 1);
  return static_cast<std::uint32_t>(octave - 23) << 23U;
}

std::optional<ShareTable> ShareTable::make(const FormatDef& def, const Element& base) {
  if (def.measure != Measure::AbsMax || !def.whole_shared || def.share == nullptr) return {};
  const auto shared = [&](std::uint32_t bits) {
    Element element = base;
    def.share(element, {.abs_max = std::bit_cast<float>(bits)});
    return element;
  };
  ShareTable table;
  const auto entry_of = [&](const Element& element) {
    if (table.entries_.empty() || table.entries_.back().element.shared != element.shared)
      table.entries_.push_back({element, def.is_fast(element)});
    return static_cast<std::uint16_t>(table.entries_.size() - 1);
  };
  for (std::size_t k = 0; k < kOctaves; ++k) {
    const std::uint32_t first = first_of(k);
    const std::uint32_t last = first_of(k + 1) - 1;
    const Element below = shared(first);
    const Element above = shared(last);
    Octave& octave = table.octaves_[k];
    octave.turn = first;
    if (below.shared != above.shared) {
      octave.turn = first_where(
          first, last, [&](std::uint32_t bits) { return shared(bits).shared != below.shared; });
      if (shared(octave.turn).shared != above.shared) return {};
    }
    octave.below = entry_of(below);
    octave.above = entry_of(above);
  }
  return table;
}

}  // namespace chop::formats
