#include "runtime/conv/frozen/finish.hpp"

#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "runtime/conv/frozen/finish.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
//
#include "runtime/conv/frozen/finish_line-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace chop::runtime::HWY_NAMESPACE {
using namespace chop::runtime::simd::HWY_NAMESPACE;
namespace fast = chop::formats::HWY_NAMESPACE;
namespace {

/// kVectors vectors of one place, from channel `c` of the piece on; the last one is cut by `mask`.
template <int kVectors>
struct Block {
  std::int64_t lanes;
  M mask;
  std::int64_t last_count;
  V v[kVectors];

  HWY_INLINE V load(const float* from, int i) const {
    return i + 1 == kVectors ? hn::MaskedLoad(mask, kTag, from + i * lanes)
                             : hn::LoadU(kTag, from + i * lanes);
  }
  HWY_INLINE void fetch(const Sums& sums, std::int64_t at) {
    if (!sums.whole) {
      const auto* from = static_cast<const float*>(sums.data) + at;
      for (int i = 0; i < kVectors; ++i) v[i] = load(from, i);
      return;
    }
    const auto* from = static_cast<const std::int32_t*>(sums.data) + at;
    const V unscale = set(sums.unscale);
    const auto ints = hn::RebindMask(kInts, mask);
    for (int i = 0; i < kVectors; ++i) {
      const auto sum = i + 1 == kVectors ? hn::MaskedLoad(ints, kInts, from + i * lanes)
                                         : hn::LoadU(kInts, from + i * lanes);
      v[i] = hn::Mul(hn::ConvertTo(kTag, sum), unscale);
    }
  }
  template <class F>
  HWY_INLINE void each(F f) {
    for (int i = 0; i < kVectors; ++i) v[i] = f(v[i], i);
  }
  /// `c` counts channels in the whole tensor, `at` elements.
  HWY_INLINE void apply(const Stage& stage, std::int64_t c, std::int64_t at,
                        const KernelArgs& args) {
    switch (stage.kind) {
      case StageKind::Keep:
        return;
      case StageKind::Bias:
        return each([&](V x, int i) { return hn::Add(x, load(stage.a.data() + c, i)); });
      case StageKind::Norm:
        return each([&](V x, int i) {
          return hn::MulAdd(hn::Sub(x, load(stage.a.data() + c, i)), load(stage.b.data() + c, i),
                            load(stage.c.data() + c, i));
        });
      case StageKind::Add: {
        const float* other = args.input(stage.operand) + at;
        return each([&](V x, int i) { return hn::Add(x, load(other, i)); });
      }
      case StageKind::Clamp:
        if (stage.high == std::numeric_limits<float>::infinity())
          return each(
              [&](V x, int) { return where(hn::Lt(x, set(stage.low)), set(stage.low), x); });
        return each([&](V x, int) {
          return where(hn::Lt(x, set(stage.low)), set(stage.low),
                       where(hn::Gt(x, set(stage.high)), set(stage.high), x));
        });
      case StageKind::Quantise:
        if (stage.element.floor) {
          const fast::FixedFloor grid(stage.element);
          return each([&](V x, int) { return grid(x); });
        }
        const fast::Fixed grid(stage.element);
        return each([&](V x, int) { return grid(x); });
    }
  }
  HWY_INLINE void keep(const Stage& stage, std::int64_t at, const KernelArgs& args) const {
    const auto output = static_cast<std::size_t>(stage.output);
    if (stage.codes) {
      std::byte* to = args.out[output] + at;
      for (int i = 0; i < kVectors; ++i)
        store_codes(stage.element, v[i], i + 1 == kVectors ? last_count : lanes, to + i * lanes);
      return;
    }
    float* to = args.output(output) + at;
    for (int i = 0; i + 1 < kVectors; ++i) hn::StoreU(v[i], kTag, to + i * lanes);
    hn::BlendedStore(v[kVectors - 1], mask, kTag, to + (kVectors - 1) * lanes);
  }
};

template <int kVectors>
HWY_INLINE void finish_block(std::span<const Stage> stages, const Sums& sums, std::int64_t from,
                             std::int64_t left, std::int64_t channel, std::int64_t at,
                             const KernelArgs& args) {
  const std::int64_t lanes = lane_count();
  const std::int64_t last = std::min(lanes, left - (kVectors - 1) * lanes);
  Block<kVectors> block{.lanes = lanes, .mask = first(last), .last_count = last, .v = {}};
  block.fetch(sums, from);
  for (const Stage& stage : stages) {
    block.apply(stage, channel, at, args);
    if (stage.output >= 0) block.keep(stage, at, args);
  }
}

void finish_all(std::span<const Stage> stages, const Sums& sums, const Spot& spot,
                const KernelArgs& args) {
  if (Line line; as_line(stages, line)) return finish_line(line, sums, spot, args);
  const std::int64_t lanes = lane_count();
  for (std::int64_t p = 0; p < sums.places; ++p)
    for (std::int64_t c = 0; c < sums.channels; c += 4 * lanes) {
      const std::int64_t left = sums.channels - c;
      const std::int64_t from = p * sums.channels + c;
      const std::int64_t channel = spot.channel + c;
      const std::int64_t at = (spot.place + p) * spot.row + channel;
      if (left > 3 * lanes)
        finish_block<4>(stages, sums, from, left, channel, at, args);
      else if (left > 2 * lanes)
        finish_block<3>(stages, sums, from, left, channel, at, args);
      else if (left > lanes)
        finish_block<2>(stages, sums, from, left, channel, at, args);
      else
        finish_block<1>(stages, sums, from, left, channel, at, args);
    }
}

template <class Grid>
void encode_with(const Element& element, const float* x, std::int64_t count, std::byte* to) {
  const Grid grid(element);
  const std::int64_t lanes = lane_count();
  for (std::int64_t i = 0; i < count; i += lanes) {
    const std::int64_t left = count - i;
    const V value =
        left >= lanes ? hn::LoadU(kTag, x + i) : hn::MaskedLoad(first(left), kTag, x + i);
    store_codes(element, grid(value), left, to + i);
  }
}

void encode_all(const Element& element, const float* x, std::int64_t count, std::byte* to) {
  element.floor ? encode_with<fast::FixedFloor>(element, x, count, to)
                : encode_with<fast::Fixed>(element, x, count, to);
}

}  // namespace
}  // namespace chop::runtime::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace chop::runtime {
HWY_EXPORT(finish_all);
HWY_EXPORT(encode_all);

void finish(std::span<const Stage> stages, const Sums& sums, const Spot& spot,
            const KernelArgs& args) {
  HWY_DYNAMIC_DISPATCH(finish_all)(stages, sums, spot, args);
}

void encode_bytes(const Element& grid, const float* x, std::int64_t count, std::byte* to) {
  HWY_DYNAMIC_DISPATCH(encode_all)(grid, x, count, to);
}

bool fits_byte(const Element& grid) {
  return grid.kind == Kind::Fixed &&
         ((grid.low >= -128 && grid.high <= 127) || (grid.low >= 0 && grid.high <= 255));
}

}  // namespace chop::runtime
#endif
