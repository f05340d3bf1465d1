// Sums over rows, a few vectors of columns at a time: each has four sums, and one vector alone
// would wait for its additions to end.
#include "runtime/column_sums.hpp"

#include "runtime/row_blocks.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "runtime/column_sums.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
//
#include "runtime/simd_math-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace chop::runtime::HWY_NAMESPACE {
using namespace chop::runtime::simd::HWY_NAMESPACE;
namespace {

constexpr int kSums = 4;
/// Vectors of columns: what the registers hold, with room for one that is loaded.
constexpr int kMostVectors = HWY_TARGET <= HWY_AVX3 ? 4 : 2;

template <int kVectors, class Load>
HWY_INLINE void sum_vectors(const float* x, std::int64_t rows, std::int64_t columns, Load load,
                            V (&total)[kVectors]) {
  const std::int64_t lanes = lane_count();
  V sum[kSums][kVectors];
  for (auto& part : sum)
    for (V& v : part) v = zero();
  const auto add = [&](std::int64_t row, int part) HWY_ATTR {
    for (int i = 0; i < kVectors; ++i)
      sum[part][i] = hn::Add(sum[part][i], load(x + row * columns + i * lanes));
  };
  std::int64_t row = 0;
  for (; row + kSums <= rows; row += kSums)
    for (int part = 0; part < kSums; ++part) add(row + part, part);
  for (int part = 0; part < kSums - 1; ++part)
    if (row + part < rows) add(row + part, part);
  for (int i = 0; i < kVectors; ++i)
    total[i] = hn::Add(hn::Add(sum[0][i], sum[1][i]), hn::Add(sum[2][i], sum[3][i]));
}

/// The sums of blocks of rows, added in their order.
template <int kVectors, class Load>
HWY_INLINE void sum_blocks(const float* x, std::int64_t rows, std::int64_t columns, Load load,
                           V (&total)[kVectors]) {
  sum_vectors<kVectors>(x, std::min(rows, kTeamRows), columns, load, total);
  for (std::int64_t row = kTeamRows; row < rows; row += kTeamRows) {
    V block[kVectors];
    sum_vectors<kVectors>(x + row * columns, std::min(rows - row, kTeamRows), columns, load, block);
    for (int i = 0; i < kVectors; ++i) total[i] = hn::Add(total[i], block[i]);
  }
}

template <int kVectors>
std::int64_t whole_vectors(const float* x, std::int64_t rows, std::int64_t columns, Share share,
                           float* to) {
  const std::int64_t lanes = lane_count();
  const auto load = [](const float* from) HWY_ATTR { return hn::LoadU(kTag, from); };
  std::int64_t j = share.begin;
  for (; j + kVectors * lanes <= share.end; j += kVectors * lanes) {
    V total[kVectors];
    sum_blocks<kVectors>(x + j, rows, columns, load, total);
    for (int i = 0; i < kVectors; ++i) hn::StoreU(total[i], kTag, to + j + i * lanes);
  }
  return j;
}

void sum_columns(const float* x, std::int64_t rows, std::int64_t columns, Share share, float* to) {
  share.begin = whole_vectors<kMostVectors>(x, rows, columns, share, to);
  if constexpr (kMostVectors > 2) share.begin = whole_vectors<2>(x, rows, columns, share, to);
  share.begin = whole_vectors<1>(x, rows, columns, share, to);
  if (share.size() == 0) return;
  const M mask = first(share.size());
  V total[1];
  sum_blocks<1>(
      x + share.begin, rows, columns,
      [mask](const float* from) HWY_ATTR { return hn::MaskedLoad(mask, kTag, from); }, total);
  hn::BlendedStore(total[0], mask, kTag, to + share.begin);
}

}  // namespace
}  // namespace chop::runtime::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace chop::runtime {
HWY_EXPORT(sum_columns);

void column_sums(const float* x, std::int64_t rows, std::int64_t columns, Share share, float* to) {
  HWY_DYNAMIC_DISPATCH(sum_columns)(x, rows, columns, share, to);
}

}  // namespace chop::runtime
#endif
