// The GEMM micro-kernel: a panel of B times rows of A, for products whose operands are in the
// cache. A tile of C stays in registers while k runs; for each k the vectors of the panel are
// loaded once and multiplied with one broadcast number of each row. With AVX-512 a panel has 4
// vectors, so 64 columns, and a tile 4 rows: 16 accumulators in registers, and 16 multiply-adds for
// 4 loads and 4 broadcasts. With AVX2, which has 16 registers, it is 2 vectors and 6 rows. Compiled
// once per instruction set, by who multiplies (gemm.cpp, winograd_conv.cpp).
#if defined(CH_GEMM_TILES_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef CH_GEMM_TILES_INL
#undef CH_GEMM_TILES_INL
#else
#define CH_GEMM_TILES_INL
#endif

#include "hwy/highway.h"
#include "runtime/gemm/gemm.hpp"

HWY_BEFORE_NAMESPACE();
namespace chop::runtime {
namespace HWY_NAMESPACE {
namespace {
namespace hn = hwy::HWY_NAMESPACE;

constexpr hn::ScalableTag<float> kTag{};
using Vec = hn::Vec<decltype(kTag)>;

/// Vectors of accumulators in a tile, and of columns in a panel: what the registers hold.
constexpr int kAccumulators = HWY_TARGET <= HWY_AVX3 ? 16 : 12;
constexpr int kPanel = HWY_TARGET <= HWY_AVX3 ? 4 : 2;
/// Sums along k of one element where there are too few elements to fill the pipeline.
constexpr int kStrands = 4;

/// Where a panel of B lies: row k starts at data + k * row. Its last vector has `last` columns
/// that count; packed ones have zeros behind them.
struct Panel {
  const float* data;
  std::int64_t row;
  std::int64_t last;
  bool packed;
};

/// Not Max: a NaN must stay one.
HWY_INLINE Vec clamped(const Gemm& g, Vec y) {
  return g.relu ? hn::IfThenElse(hn::Lt(y, hn::Zero(kTag)), hn::Zero(kTag), y) : y;
}

template <int kSplit, int kRows, int kVectors>
HWY_INLINE Vec sum_of_strands(const Vec (&sum)[kSplit][kRows][kVectors], int r, int v) {
  if constexpr (kSplit == kStrands)
    return hn::Add(hn::Add(sum[0][r][v], sum[1][r][v]), hn::Add(sum[2][r][v], sum[3][r][v]));
  else
    return sum[0][r][v];
}

/// The first strand becomes the whole sum and what C holds, so that pieces of k may be computed
/// apart and added; of the last vector of C only the columns of `mask`, where `part`.
template <int kSplit, int kRows, int kVectors, class Mask>
HWY_INLINE void add_stored(const Gemm& g, const float* c, bool part, Mask mask,
                           Vec (&sum)[kSplit][kRows][kVectors]) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(kTag));
  for (int r = 0; r < kRows; ++r)
    for (int v = 0; v < kVectors; ++v) {
      const float* from = c + r * g.c_row + v * lanes;
      sum[0][r][v] = hn::Add(
          sum_of_strands<kSplit>(sum, r, v),
          part && v + 1 == kVectors ? hn::MaskedLoad(mask, kTag, from) : hn::LoadU(kTag, from));
    }
}

template <int kRows, int kVectors, int kSplit>
HWY_INLINE void tile(const Gemm& g, const float* a, const Panel& panel, const float* bias,
                     float* c) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(kTag));
  const auto mask = hn::FirstN(kTag, static_cast<std::size_t>(panel.last));
  const bool cut = !panel.packed && panel.last < lanes;
  Vec sum[kSplit][kRows][kVectors];
  for (int s = 0; s < kSplit; ++s)
    for (int r = 0; r < kRows; ++r)
      for (int v = 0; v < kVectors; ++v) sum[s][r][v] = hn::Zero(kTag);
  const auto step = [&](std::int64_t k, int s, bool masked) HWY_ATTR {
    const float* from = panel.data + k * panel.row;
    Vec bk[kVectors];
    for (int v = 0; v < kVectors; ++v)
      bk[v] = masked && v + 1 == kVectors ? hn::MaskedLoad(mask, kTag, from + v * lanes)
                                          : hn::LoadU(kTag, from + v * lanes);
    for (int r = 0; r < kRows; ++r) {
      const Vec ak = hn::Set(kTag, a[r * g.a_row + k * g.a_col]);
      for (int v = 0; v < kVectors; ++v) sum[s][r][v] = hn::MulAdd(ak, bk[v], sum[s][r][v]);
    }
  };
  std::int64_t k = 0;
  if (cut) {
    for (; k + kSplit <= g.k; k += kSplit)
      for (int s = 0; s < kSplit; ++s) step(k + s, s, true);
    for (; k < g.k; ++k) step(k, 0, true);
  } else {
    for (; k + kSplit <= g.k; k += kSplit)
      for (int s = 0; s < kSplit; ++s) step(k + s, s, false);
    for (; k < g.k; ++k) step(k, 0, false);
  }
  if (g.accumulate) add_stored<kSplit>(g, c, panel.last < lanes, mask, sum);
  for (int v = 0; v < kVectors; ++v) {
    const bool part = v + 1 == kVectors && panel.last < lanes;
    Vec add = hn::Zero(kTag);
    if (bias != nullptr)
      add = part ? hn::MaskedLoad(mask, kTag, bias + v * lanes) : hn::LoadU(kTag, bias + v * lanes);
    for (int r = 0; r < kRows; ++r) {
      const Vec total = g.accumulate ? sum[0][r][v] : sum_of_strands<kSplit>(sum, r, v);
      const Vec y = clamped(g, hn::Add(total, add));
      float* out = c + r * g.c_row + v * lanes;
      if (part)
        hn::BlendedStore(y, mask, kTag, out);
      else
        hn::StoreU(y, kTag, out);
    }
  }
}

/// Rows from `i` on in tiles of kRows; returns the first row left.
template <int kRows, int kVectors, int kSplit>
std::int64_t rows_by(const Gemm& g, std::int64_t i, const float* a, const Panel& panel,
                     const float* bias, float* c) {
  for (; i + kRows <= g.m; i += kRows)
    tile<kRows, kVectors, kSplit>(g, a + i * g.a_row, panel, bias, c + i * g.c_row);
  return i;
}

template <int kVectors>
void rows_of_panel(const Gemm& g, bool strands, const float* a, const Panel& panel,
                   const float* bias, float* c) {
  std::int64_t i = 0;
  if (strands) {
    constexpr int kRows =
        kAccumulators / kStrands / kVectors > 0 ? kAccumulators / kStrands / kVectors : 1;
    i = rows_by<kRows, kVectors, kStrands>(g, i, a, panel, bias, c);
    rows_by<1, kVectors, kStrands>(g, i, a, panel, bias, c);
    return;
  }
  constexpr int kRows = kAccumulators / kVectors;
  i = rows_by<kRows, kVectors, 1>(g, i, a, panel, bias, c);
  if constexpr (kRows > 5)
    if (g.m - i == 5) i = rows_by<5, kVectors, 1>(g, i, a, panel, bias, c);
  if constexpr (kRows > 4) i = rows_by<4, kVectors, 1>(g, i, a, panel, bias, c);
  if constexpr (kRows > 2) i = rows_by<2, kVectors, 1>(g, i, a, panel, bias, c);
  rows_by<1, kVectors, 1>(g, i, a, panel, bias, c);
}

/// All rows of C for a panel of `vectors` vectors of columns and a k that is not long.
void short_panel_rows(const Gemm& g, bool strands, int vectors, const float* a, const Panel& panel,
                      const float* bias, float* c) {
  // Panels of more vectors than kPanel do not occur, and must not be compiled.
  constexpr int kThree = kPanel < 3 ? 1 : 3;
  constexpr int kFour = kPanel < 4 ? 1 : 4;
  switch (vectors) {
    case 1:
      return rows_of_panel<1>(g, strands, a, panel, bias, c);
    case 2:
      return rows_of_panel<2>(g, strands, a, panel, bias, c);
    case 3:
      return rows_of_panel<kThree>(g, strands, a, panel, bias, c);
    default:
      return rows_of_panel<kFour>(g, strands, a, panel, bias, c);
  }
}

/// The same for any k: blocks of it, each added to C, so that long sums keep their digits.
void panel_rows(const Gemm& g, bool strands, int vectors, const float* a, const Panel& panel,
                const float* bias, float* c) {
  const std::int64_t piece = g.longest;
  if (g.k <= piece) return short_panel_rows(g, strands, vectors, a, panel, bias, c);
  for (std::int64_t k = 0; k < g.k; k += piece) {
    const bool last = k + piece >= g.k;
    Gemm part = g;
    part.k = std::min(piece, g.k - k);
    part.relu = last && g.relu;
    part.accumulate = k > 0;
    Panel rows = panel;
    rows.data += k * panel.row;
    short_panel_rows(part, strands, vectors, a + k * g.a_col, rows, last ? bias : nullptr, c);
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace chop::runtime
HWY_AFTER_NAMESPACE();

#endif  // CH_GEMM_TILES_INL
