// The micro-kernel of products of bytes. A tile of up to kRows positions by two vectors of output
// channels stays in registers. In each step the four bytes of a position's input are broadcast to
// all lanes, and a lane multiplies them with the four weights of its channel:
//
//   input   x0 x1 x2 x3 | x0 x1 x2 x3 | ...
//   weights a0 a1 a2 a3 | b0 b1 b2 b3 | ...      channels a, b, ...
//   sums    a += (x0 a0 + x1 a1) + (x2 a2 + x3 a3)
//
// On AVX2 with quads that is three instructions for 32 products (pmaddubsw, pmaddwd, paddd), with
// pairs two for 16 (pmaddwd, paddd); floats need two multiply-adds for 16.
#include "runtime/conv/frozen/backends/pairs/byte_product.hpp"

#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "runtime/conv/frozen/backends/pairs/byte_product.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace chop::runtime {
namespace HWY_NAMESPACE {
namespace {
namespace hn = hwy::HWY_NAMESPACE;

constexpr hn::ScalableTag<std::int32_t> kInt{};
using Int = hn::Vec<decltype(kInt)>;

constexpr int kVectors = 2;
/// Positions of a tile: what the registers hold beside the weights and what is on its way.
constexpr int kRows = HWY_TARGET <= HWY_AVX3 ? 8 : 5;
constexpr bool kHasQuads = HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3;

/// sum + the products of two numbers of 16 bits in every lane.
HWY_INLINE Int add_pair(Int sum, Int x, Int w) {
#if HWY_ARCH_X86 && HWY_TARGET != HWY_SCALAR
  const hn::Repartition<std::int16_t, decltype(kInt)> shorts;
  Int unused = hn::Zero(kInt);
  return hn::ReorderWidenMulAccumulate(kInt, hn::BitCast(shorts, x), hn::BitCast(shorts, w), sum,
                                       unused);
#else
  const Int x_low = hn::ShiftRight<16>(hn::ShiftLeft<16>(x));
  const Int w_low = hn::ShiftRight<16>(hn::ShiftLeft<16>(w));
  const Int high = hn::Mul(hn::ShiftRight<16>(x), hn::ShiftRight<16>(w));
  return hn::Add(sum, hn::Add(hn::Mul(x_low, w_low), high));
#endif
}

/// sum + the products of four bytes in every lane, of x unsigned, of w signed.
HWY_INLINE Int add_quad(Int sum, Int x, Int w) {
#if HWY_TARGET == HWY_AVX2
  const __m256i pairs = _mm256_maddubs_epi16(x.raw, w.raw);
  return hn::Add(sum, Int{_mm256_madd_epi16(pairs, _mm256_set1_epi16(1))});
#elif HWY_TARGET == HWY_AVX3
  const __m512i pairs = _mm512_maddubs_epi16(x.raw, w.raw);
  return hn::Add(sum, Int{_mm512_madd_epi16(pairs, _mm512_set1_epi16(1))});
#else
  return add_pair(sum, x, w);  // never called
#endif
}

template <ByteWay kWay, int kCount>
HWY_INLINE void block(const ByteProduct& p, const std::byte* const* at, std::int32_t* to) {
  const std::size_t lanes = hn::Lanes(kInt);
  Int sum[kCount][kVectors];
  for (int r = 0; r < kCount; ++r)
    for (int v = 0; v < kVectors; ++v)
      sum[r][v] = hn::LoadU(kInt, p.initial + static_cast<std::size_t>(v) * lanes);
  const auto* w = reinterpret_cast<const std::int32_t*>(p.weights);
  for (const std::int64_t run : p.runs) {
    const std::byte* x[kCount];
    for (int r = 0; r < kCount; ++r) x[r] = at[r] + run;
    for (std::int64_t s = 0; s < p.steps; ++s, w += kVectors * lanes) {
      Int weights[kVectors];
      for (int v = 0; v < kVectors; ++v)
        weights[v] = hn::LoadU(kInt, w + static_cast<std::size_t>(v) * lanes);
      for (int r = 0; r < kCount; ++r) {
        std::int32_t four;
        std::memcpy(&four, x[r] + 4 * s, sizeof four);
        const Int value = hn::Set(kInt, four);
        for (int v = 0; v < kVectors; ++v)
          sum[r][v] = kWay == ByteWay::Quads ? add_quad(sum[r][v], value, weights[v])
                                             : add_pair(sum[r][v], value, weights[v]);
      }
    }
  }
  for (int r = 0; r < kCount; ++r, to += p.stride)
    for (int v = 0; v < kVectors; ++v) {
      const std::int64_t first = v * static_cast<std::int64_t>(lanes);
      const std::int64_t left = p.channels - first;
      if (left >= static_cast<std::int64_t>(lanes)) {
        hn::StoreU(sum[r][v], kInt, to + first);
      } else if (left > 0) {
        HWY_ALIGN std::int32_t some[hn::MaxLanes(kInt)];
        hn::Store(sum[r][v], kInt, some);
        std::memcpy(to + first, some, static_cast<std::size_t>(left) * sizeof(std::int32_t));
      }
    }
}

template <ByteWay kWay>
HWY_INLINE void blocks(const ByteProduct& p) {
  const auto count = static_cast<std::int64_t>(p.positions.size());
  std::int64_t i = 0;
  const auto run = [&]<int kCount>() HWY_ATTR {
    block<kWay, kCount>(p, p.positions.data() + i, p.accumulators + i * p.stride);
    i += kCount;
  };
  while (count - i >= kRows) run.template operator()<kRows>();
  if (count - i >= 4) run.template operator()<4>();
  if (count - i >= 2) run.template operator()<2>();
  if (count - i >= 1) run.template operator()<1>();
}

void multiply(const ByteProduct& p) {
  if (p.way == ByteWay::Quads && kHasQuads)
    blocks<ByteWay::Quads>(p);
  else
    blocks<ByteWay::Pairs>(p);
}

std::int64_t group_channels() {
  return kVectors * static_cast<std::int64_t>(hn::Lanes(kInt));
}

bool has_quads() {
  return kHasQuads;
}

void flip(const std::byte* from, std::int64_t count, std::byte* to) {
  for (std::int64_t i = 0; i < count; ++i) to[i] = from[i] ^ std::byte{0x80};
}

void widen(const std::byte* from, std::int64_t count, bool is_signed, std::int16_t* to) {
  if (is_signed)
    for (std::int64_t i = 0; i < count; ++i) to[i] = static_cast<std::int8_t>(from[i]);
  else
    for (std::int64_t i = 0; i < count; ++i) to[i] = static_cast<std::uint8_t>(from[i]);
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace chop::runtime
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace chop::runtime {

HWY_EXPORT(multiply);
HWY_EXPORT(group_channels);
HWY_EXPORT(has_quads);
HWY_EXPORT(flip);
HWY_EXPORT(widen);

std::int64_t byte_group_channels() {
  return HWY_DYNAMIC_DISPATCH(group_channels)();
}
bool has_byte_quads() {
  return HWY_DYNAMIC_DISPATCH(has_quads)();
}
void multiply_bytes(const ByteProduct& product) {
  HWY_DYNAMIC_DISPATCH(multiply)(product);
}
void copy_flipped(const std::byte* from, std::int64_t count, std::byte* to) {
  HWY_DYNAMIC_DISPATCH(flip)(from, count, to);
}
void copy_widened(const std::byte* from, std::int64_t count, bool is_signed, std::int16_t* to) {
  HWY_DYNAMIC_DISPATCH(widen)(from, count, is_signed, to);
}

}  // namespace chop::runtime
#endif
