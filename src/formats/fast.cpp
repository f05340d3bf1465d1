// The loops around the vector forms of formats/defs/*-simd.hpp. Compiled once per instruction set;
// the processor decides which one runs.
//
// A vector form gives, in a namespace of its format's name, with_vector(element, use): it calls
// use(f) with an f that quantises one vector of values.
#include "formats/fast.hpp"

#include <bit>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "formats/fast.cpp"
#include "hwy/cache_control.h"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
//
#include "formats/share_table.hpp"
#include "formats/vector-inl.hpp"

HWY_BEFORE_NAMESPACE();
#define CH_VECTOR_FORMS
#include "formats_simd_files.inc"
#undef CH_VECTOR_FORMS

namespace chop::formats::HWY_NAMESPACE {
namespace {

constexpr std::size_t kLine = 64;  // bytes of a cache line

struct PlainStore {
  static HWY_INLINE void put(V value, float* y) { hn::StoreU(value, kTag, y); }
};
/// Past the caches, to addresses aligned to cache lines: nothing is read first.
struct StreamStore {
  static HWY_INLINE void put(V value, float* y) { hn::Stream(value, kTag, y); }
};

/// y[i..] = f(x[i..]) for all whole vectors; returns the first element left.
template <class Store, class F>
HWY_INLINE std::int64_t map_vectors(const F& f, const float* x, float* y, std::int64_t i,
                                    std::int64_t count) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(kTag));
  for (; i + 4 * lanes <= count; i += 4 * lanes) {
    const V a = f(hn::LoadU(kTag, x + i));
    const V b = f(hn::LoadU(kTag, x + i + lanes));
    const V c = f(hn::LoadU(kTag, x + i + 2 * lanes));
    const V d = f(hn::LoadU(kTag, x + i + 3 * lanes));
    Store::put(a, y + i);
    Store::put(b, y + i + lanes);
    Store::put(c, y + i + 2 * lanes);
    Store::put(d, y + i + 3 * lanes);
  }
  for (; i + lanes <= count; i += lanes) Store::put(f(hn::LoadU(kTag, x + i)), y + i);
  return i;
}

/// y[0..] = f(x[0..]) by plain stores.
template <class F>
void map_plain(const F& f, const float* x, float* y, std::int64_t count) {
  const std::int64_t i = map_vectors<PlainStore>(f, x, y, 0, count);
  if (i == count) return;
  const M rest = hn::FirstN(kTag, static_cast<std::size_t>(count - i));
  hn::BlendedStore(f(hn::MaskedLoad(rest, kTag, x + i)), rest, kTag, y + i);
}

/// The same past the caches: whole lines of y are written without being read first.
template <class F>
void map_past_caches(const F& f, const float* x, float* y, std::int64_t count) {
  const auto floats_to_line = static_cast<std::int64_t>(
      (kLine - reinterpret_cast<std::uintptr_t>(y) % kLine) % kLine / sizeof(float));
  const std::int64_t first = std::min(floats_to_line, count);
  map_plain(f, x, y, first);
  const std::int64_t i = map_vectors<StreamStore>(f, x, y, first, count);
  map_plain(f, x + i, y + i, count - i);
}

/// Copies.
struct Same {
  HWY_INLINE V operator()(V x) const { return x; }
};

template <class F>
void map(const F& f, const Span& at) {
  if (at.store == Store::PastCaches)
    map_past_caches(f, at.x, at.y, at.count);
  else
    map_plain(f, at.x, at.y, at.count);
}

/// Compared as whole numbers, in the order of which magnitudes are; NaN counts as 0.
HWY_INLINE float largest(const float* x, std::int64_t count) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(kTag));
  constexpr int kInfinity = 0x7F800000;
  const auto larger = [&](I most, V at) {
    const I a = hn::And(hn::BitCast(kInts, at), ints(0x7FFFFFFF));
    return hn::Max(most, hn::IfThenZeroElse(hn::Gt(a, ints(kInfinity)), a));
  };
  I most = ints(0);
  I other = ints(0);
  std::int64_t i = 0;
  for (; i + 2 * lanes <= count; i += 2 * lanes) {
    most = larger(most, hn::LoadU(kTag, x + i));
    other = larger(other, hn::LoadU(kTag, x + i + lanes));
  }
  for (; i + lanes <= count; i += lanes) most = larger(most, hn::LoadU(kTag, x + i));
  if (i < count) {
    const M rest = hn::FirstN(kTag, static_cast<std::size_t>(count - i));
    most = larger(most, hn::MaskedLoad(rest, kTag, x + i));
  }
  const int bits = hn::GetLane(hn::MaxOfLanes(kInts, hn::Max(most, other)));
  return std::bit_cast<float>(std::min(bits, kInfinity - 1));
}

float largest_of(const float* x, std::int64_t count) {
  return largest(x, count);
}

/// As map(), for a few values: everything in registers.
template <class F>
HWY_INLINE void map_few(const F& f, const float* x, float* y, std::int64_t count) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(kTag));
  std::int64_t i = 0;
  for (; i + lanes <= count; i += lanes) hn::StoreU(f(hn::LoadU(kTag, x + i)), kTag, y + i);
  if (i == count) return;
  const M rest = hn::FirstN(kTag, static_cast<std::size_t>(count - i));
  hn::BlendedStore(f(hn::MaskedLoad(rest, kTag, x + i)), rest, kTag, y + i);
}

/// Blocks whose largest magnitudes are known; one(element, x, y, count) does one of them. What
/// will be measured next is fetched meanwhile.
template <class One>
HWY_INLINE void known_blocks(const Blocks& blocks, const Span& at, const Span& next,
                             const float* most, One one) {
  for (std::int64_t i = 0; i < at.count; i += blocks.size, ++most) {
    const ShareTable::Entry& entry = blocks.table->at(*most);
    const std::int64_t count = std::min(blocks.size, at.count - i);
    for (std::int64_t k = i; k < std::min(i + count, next.count); k += kLine / sizeof(float))
      hwy::Prefetch(next.x + k);
    if (blocks.zeros_wait && *most == 0)
      map_few(Same{}, at.x + i, at.y + i, count);
    else if (entry.fast) [[likely]]
      one(entry.element, at.x + i, at.y + i, count);
    else
      for (std::int64_t k = i; k < i + count; ++k)
        at.y[k] = blocks.plain(at.x[k], entry.element, 0);
  }
}

/// Some blocks at a time: measured, then quantised while they are in the nearest cache. What
/// goes past the caches is collected before, so that it goes in whole lines.
template <class One>
bool quantise_blocks(const Blocks& blocks, const Span& at, One one) {
  constexpr std::int64_t kBuffer = 2048;
  HWY_ALIGN float buffer[kBuffer];
  const bool collect = at.store == Store::PastCaches && blocks.size <= kBuffer / 2;
  const std::int64_t chunk = std::max<std::int64_t>(1, kBuffer / blocks.size) * blocks.size;
  float least = std::numeric_limits<float>::max();
  float* most = blocks.abs_max;
  for (std::int64_t first = 0; first < at.count; first += chunk) {
    Span now{at.x + first, at.y + first, std::min(chunk, at.count - first)};
    float* const measured = most;
    for (std::int64_t i = 0; i < now.count; i += blocks.size) {
      *most = largest(now.x + i, std::min(blocks.size, now.count - i));
      least = std::min(least, *most++);
    }
    if (collect) now.y = buffer;
    const std::int64_t after = first + now.count;
    const Span next{.x = at.x + after, .count = std::min(chunk, at.count - after)};
    known_blocks(blocks, now, next, measured, one);
    if (collect) map(Same{}, {buffer, at.y + first, now.count, Store::PastCaches});
  }
  if (collect) hwy::FlushStream();
  return least == 0;
}

#define CH_ITEM(name)                                                                          \
  void run_##name(const Element& element, const Span& at) {                                    \
    name::with_vector(element, [&](const auto& f) { map(f, at); });                            \
    if (at.store == Store::PastCaches) hwy::FlushStream();                                     \
  }                                                                                            \
  bool run_blocks_##name(const Blocks& blocks, const Span& at) {                               \
    return quantise_blocks(                                                                    \
        blocks, at, [](const Element& element, const float* x, float* y, std::int64_t count) { \
          name::with_vector(element, [&](const auto& f) { map_few(f, x, y, count); });         \
        });                                                                                    \
  }
#include "formats_simd.inc"
#undef CH_ITEM

}  // namespace
}  // namespace chop::formats::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace chop::formats {
HWY_EXPORT(largest_of);

float abs_max(const float* x, std::int64_t count) {
  return HWY_DYNAMIC_DISPATCH(largest_of)(x, count);
}

// NAME-simd.hpp declares NAME::fast_loop(); here it is defined.
#define CH_ITEM(name)                                                         \
  HWY_EXPORT(run_##name);                                                     \
  HWY_EXPORT(run_blocks_##name);                                              \
  FastLoop name::fast_loop() {                                                \
    return {.run =                                                            \
                [](const Element& element, const Span& at) {                  \
                  HWY_DYNAMIC_DISPATCH(run_##name)                            \
                  (element, at);                                              \
                },                                                            \
            .run_blocks =                                                     \
                [](const Blocks& blocks, const Span& at) {                    \
                  return HWY_DYNAMIC_DISPATCH(run_blocks_##name)(blocks, at); \
                }};                                                           \
  }
#include "formats_simd.inc"
#undef CH_ITEM

}  // namespace chop::formats
#endif
