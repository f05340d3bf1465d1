// What the loops of batch normalisation are made of: groups of channels, whole or masked vectors,
// and sums over rows in a fixed number of partial sums. Compiled once per instruction set, from
// batch_norm.cpp.
#if defined(CH_BATCH_NORM_PARTS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef CH_BATCH_NORM_PARTS_INL
#undef CH_BATCH_NORM_PARTS_INL
#else
#define CH_BATCH_NORM_PARTS_INL
#endif

#include <type_traits>

#include "runtime/kernels/loops/batch_norm_job.hpp"
#include "runtime/simd_math-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace chop::runtime::kernels::HWY_NAMESPACE {
using namespace chop::runtime::simd::HWY_NAMESPACE;
namespace {

/// In place of a mask where a whole vector counts: plain loads and stores, since AVX2's masked
/// stores take some processors ten times as long.
struct All {};

HWY_INLINE V load(M mask, const float* from) {
  return hn::MaskedLoad(mask, kTag, from);
}
HWY_INLINE V load(All /*all*/, const float* from) {
  return hn::LoadU(kTag, from);
}
/// Some of the channels from c on of an array that may be missing.
template <class Mask>
HWY_INLINE V load_or(Mask mask, const float* from, std::int64_t c, float otherwise) {
  return from == nullptr ? set(otherwise) : load(mask, from + c);
}
HWY_INLINE void store(V value, M mask, float* to) {
  hn::BlendedStore(value, mask, kTag, to);
}
HWY_INLINE void store(V value, All /*all*/, float* to) {
  hn::StoreU(value, kTag, to);
}
template <class Mask>
HWY_INLINE void store_if(V value, Mask mask, float* to, std::int64_t c) {
  if (to != nullptr) store(value, mask, to + c);
}

/// The same steps as the elementwise kernel's, so that fusing changes no bit.
HWY_INLINE V clamp_at_zero(V y) {
  return where(hn::Lt(y, zero()), zero(), y);
}
HWY_INLINE V through_relu(V dy, V y) {
  return hn::Mul(dy, where(hn::Gt(y, zero()), one(), zero()));
}

/// kSums sums over rows [begin, end) for kVectors vectors of channels, each in four partial sums:
/// f(row, vector, terms) gives what the row adds to each of them.
template <int kSums, int kVectors, class F>
HWY_INLINE void sum_some_rows(std::int64_t begin, std::int64_t end, V (&total)[kSums][kVectors],
                              F f) {
  V sum[4][kSums][kVectors];
  for (auto& part : sum)
    for (auto& row : part)
      for (V& v : row) v = zero();
  const auto add = [&](std::int64_t row, int part) HWY_ATTR {
    for (int i = 0; i < kVectors; ++i) {
      V terms[kSums];
      f(row, i, terms);
      for (int k = 0; k < kSums; ++k) sum[part][k][i] = hn::Add(sum[part][k][i], terms[k]);
    }
  };
  std::int64_t row = begin;
  for (; row + 4 <= end; row += 4)
    for (int part = 0; part < 4; ++part) add(row + part, part);
  for (; row < end; ++row) add(row, 0);
  for (int k = 0; k < kSums; ++k)
    for (int i = 0; i < kVectors; ++i)
      total[k][i] =
          hn::Add(hn::Add(sum[0][k][i], sum[1][k][i]), hn::Add(sum[2][k][i], sum[3][k][i]));
}

/// The same over any rows, in blocks whose sums are added in their order.
template <int kSums, int kVectors, class F>
HWY_INLINE void sum_rows(Share rows, V (&total)[kSums][kVectors], F f) {
  constexpr std::int64_t kBlock = 512;
  sum_some_rows(rows.begin, std::min(rows.end, rows.begin + kBlock), total, f);
  for (std::int64_t begin = rows.begin + kBlock; begin < rows.end; begin += kBlock) {
    V block[kSums][kVectors];
    sum_some_rows(begin, std::min(rows.end, begin + kBlock), block, f);
    for (int k = 0; k < kSums; ++k)
      for (int i = 0; i < kVectors; ++i) total[k][i] = hn::Add(total[k][i], block[k][i]);
  }
}

/// Calls work(c, kVectors, mask) for groups of channels: two vectors at a time, then one, the
/// last perhaps in part.
template <class Work>
HWY_INLINE void each_group(Share channels, Work work) {
  const std::int64_t lanes = lane_count();
  std::int64_t c = channels.begin;
  for (; c + 2 * lanes <= channels.end; c += 2 * lanes)
    work(c, std::integral_constant<int, 2>(), All());
  for (; c + lanes <= channels.end; c += lanes) work(c, std::integral_constant<int, 1>(), All());
  if (c < channels.end) work(c, std::integral_constant<int, 1>(), first(channels.end - c));
}

/// The same, but first four vectors at a time where the registers hold what every row of so many
/// goes through: longer stretches of a row are read from the second cache faster.
template <class Work>
HWY_INLINE void each_wide_group(Share channels, Work work) {
  if constexpr (HWY_TARGET <= HWY_AVX3) {
    const std::int64_t wide = 4 * lane_count();
    for (; channels.begin + wide <= channels.end; channels.begin += wide)
      work(channels.begin, std::integral_constant<int, 4>(), All());
  }
  each_group(channels, work);
}

/// Calls work(c, mask) for every vector of channels.
template <class Work>
HWY_INLINE void each_vector_of(Share channels, Work work) {
  const std::int64_t lanes = lane_count();
  std::int64_t c = channels.begin;
  for (; c + lanes <= channels.end; c += lanes) work(c, All());
  if (c < channels.end) work(c, first(channels.end - c));
}

}  // namespace
}  // namespace chop::runtime::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // CH_BATCH_NORM_PARTS_INL
