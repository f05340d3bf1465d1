// Small products: B is read in panels of a few vectors of columns (gemm_tiles-inl.hpp). Where the
// rows of B do not lie so, a panel is packed first: its numbers row after row, padded with zeros to
// whole vectors. B [k, 100] with AVX-512 is a panel of 64 columns and one of 36, packed as 48.
// Compiled once per instruction set, from gemm.cpp.
#ifndef CH_GEMM_PART
#define CH_GEMM_PART
#include "support/layers.hpp"

namespace chop::runtime {
/// What one call of the kernel computes.
struct GemmPart {
  std::int64_t from, to;  ///< columns
  bool strands;           ///< each element in several sums along k
};
/// The operands of a small product. They go through all functions by reference: a copy that is read
/// at once waits until its stores are done, which a product of one row would notice.
struct SmallProduct {
  const float* a;
  const float* b;
  const float* packed;  ///< all panels of B, or null
  const float* bias;    ///< or null
  float* c;
  float* scratch;  ///< for one panel, where B is not packed
};
}  // namespace chop::runtime
#endif

#if defined(CH_GEMM_PANELS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef CH_GEMM_PANELS_INL
#undef CH_GEMM_PANELS_INL
#else
#define CH_GEMM_PANELS_INL
#endif

#include "runtime/gemm/gemm_tiles-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace chop::runtime {
namespace HWY_NAMESPACE {

/// to[k][j] = from[j][k] for four of each.
HWY_INLINE void transpose_four(const float* from, std::int64_t from_row, float* to,
                               std::int64_t to_row) {
#if HWY_TARGET == HWY_SCALAR
  for (std::int64_t k = 0; k < 4; ++k)
    for (std::int64_t j = 0; j < 4; ++j) to[k * to_row + j] = from[j * from_row + k];
#else
  const hn::CappedTag<float, 4> d;
  const auto r0 = hn::LoadU(d, from);
  const auto r1 = hn::LoadU(d, from + from_row);
  const auto r2 = hn::LoadU(d, from + 2 * from_row);
  const auto r3 = hn::LoadU(d, from + 3 * from_row);
  const auto even_low = hn::InterleaveLower(d, r0, r2);  // r0[0] r2[0] r0[1] r2[1]
  const auto even_high = hn::InterleaveUpper(d, r0, r2);
  const auto odd_low = hn::InterleaveLower(d, r1, r3);
  const auto odd_high = hn::InterleaveUpper(d, r1, r3);
  hn::StoreU(hn::InterleaveLower(d, even_low, odd_low), d, to);
  hn::StoreU(hn::InterleaveUpper(d, even_low, odd_low), d, to + to_row);
  hn::StoreU(hn::InterleaveLower(d, even_high, odd_high), d, to + 2 * to_row);
  hn::StoreU(hn::InterleaveUpper(d, even_high, odd_high), d, to + 3 * to_row);
#endif
}

/// B(k, j) for the vectors of one panel, k after k, padded with zeros.
void pack_panel(const Gemm& g, const float* b, std::int64_t first, std::int64_t width,
                float* panel) {
  const std::int64_t columns = std::min(width, g.n - first);
  if (columns < width) std::fill(panel, panel + width * g.k, 0.0F);
  const std::int64_t four_columns = g.b_row == 1 ? columns / 4 * 4 : 0;
  const std::int64_t four_rows = g.k / 4 * 4;
  const float* const from = b + first * g.b_col;
  for (std::int64_t j = 0; j < four_columns; j += 4)
    for (std::int64_t k = 0; k < four_rows; k += 4)
      transpose_four(from + j * g.b_col + k, g.b_col, panel + k * width + j, width);
  for (std::int64_t j = 0; j < columns; ++j)
    for (std::int64_t k = j < four_columns ? four_rows : 0; k < g.k; ++k)
      panel[k * width + j] = from[j * g.b_col + k * g.b_row];
}

/// Whole panels of one row that are computed together: with more of them rows of 64 numbers, which
/// are usual, would have none.
constexpr int kRowPanels = 4;

/// Columns [first, to) of one row of C by as many whole panels at once as fill the registers, where
/// B is packed: one panel alone would wait for each addition to end. Returns the first column left.
template <int kPanels>
std::int64_t single_row(const Gemm& g, const GemmPart& part, std::int64_t first,
                        const SmallProduct& p) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(kTag));
  const std::int64_t width = kPanel * lanes;
  for (; first + kPanels * width <= part.to; first += kPanels * width) {
    const float* from = p.packed + first * g.k;
    Vec sum[kPanels][kPanel];
    for (auto& panel : sum)
      for (Vec& v : panel) v = hn::Zero(kTag);
    for (std::int64_t k = 0; k < g.k; ++k) {
      const Vec ak = hn::Set(kTag, p.a[k * g.a_col]);
      for (int i = 0; i < kPanels; ++i)
        for (int v = 0; v < kPanel; ++v)
          sum[i][v] = hn::MulAdd(
              ak, hn::LoadU(kTag, from + i * width * g.k + k * width + v * lanes), sum[i][v]);
    }
    for (int i = 0; i < kPanels; ++i)
      for (int v = 0; v < kPanel; ++v) {
        const std::int64_t at = first + i * width + v * lanes;
        const Vec add = p.bias == nullptr ? hn::Zero(kTag) : hn::LoadU(kTag, p.bias + at);
        hn::StoreU(clamped(g, hn::Add(sum[i][v], add)), kTag, p.c + at);
      }
  }
  return first;
}

/// Whether C is narrow and high, and its transpose can be read as it lies: the gradient of weights
/// with few inputs. A tile of one vector of C broadcasts a number for each multiply-add, one of
/// four vectors of the transpose for every four, so where there are panels of four that is faster.
bool is_better_turned(const Gemm& g, const GemmPart& part, const SmallProduct& p) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(kTag));
  return kPanel >= 4 && part.from == 0 && part.to == g.n && g.n <= lanes && g.m >= 2 * lanes &&
         g.a_row == 1 && g.b_col == 1 && p.packed == nullptr && !part.strands &&
         p.bias == nullptr && !g.relu && !g.accumulate;
}

/// C by panels of its transpose: the same products of the same numbers, added in the same order.
void turned_gemm(const Gemm& g, const float* a, const float* b, float* c) {
  constexpr std::int64_t kWidth = kPanel * static_cast<std::int64_t>(hn::MaxLanes(kTag));
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(kTag));
  HWY_ALIGN float turned[kWidth * hn::MaxLanes(kTag)];
  for (std::int64_t first = 0; first < g.m; first += kPanel * lanes) {
    const std::int64_t columns = std::min(kPanel * lanes, g.m - first);
    const std::int64_t vectors = (columns + lanes - 1) / lanes;
    const Gemm t{.m = g.n,
                 .n = columns,
                 .k = g.k,
                 .a_row = 1,
                 .a_col = g.b_row,
                 .c_row = kWidth,
                 .longest = g.longest};
    panel_rows(t, false, static_cast<int>(vectors), b,
               {a + first, g.a_col, columns - (vectors - 1) * lanes, false}, nullptr, turned);
    const std::int64_t four_columns = columns / 4 * 4;
    const std::int64_t four_rows = g.n / 4 * 4;
    float* const to = c + first * g.c_row;
    for (std::int64_t i = 0; i < four_columns; i += 4)
      for (std::int64_t j = 0; j < four_rows; j += 4)
        transpose_four(turned + j * kWidth + i, kWidth, to + i * g.c_row + j, g.c_row);
    for (std::int64_t i = 0; i < columns; ++i)
      for (std::int64_t j = i < four_columns ? four_rows : 0; j < g.n; ++j)
        to[i * g.c_row + j] = turned[j * kWidth + i];
  }
}

/// Columns [from, to) of C, `from` being the first of a panel where B is packed.
void small_gemm(const Gemm& g, const GemmPart& part, const SmallProduct& p) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(kTag));
  if (is_better_turned(g, part, p)) return turned_gemm(g, p.a, p.b, p.c);
  std::int64_t first = part.from;
  if (g.m == 1 && p.packed != nullptr && !part.strands && g.k <= g.longest)
    first = single_row<kRowPanels>(g, part, first, p);
  for (; first < part.to; first += kPanel * lanes) {
    const std::int64_t columns = std::min(kPanel * lanes, part.to - first);
    const std::int64_t vectors = (columns + lanes - 1) / lanes;
    const std::int64_t width = vectors * lanes;
    Panel panel{p.b + first, g.b_row, columns - (vectors - 1) * lanes, false};
    if (p.packed != nullptr) {
      panel = {p.packed + first * g.k, width, panel.last, true};
    } else if (g.b_col != 1) {
      pack_panel(g, p.b, first, width, p.scratch);
      panel = {p.scratch, width, panel.last, true};
    }
    panel_rows(g, part.strands, static_cast<int>(vectors), p.a, panel,
               p.bias == nullptr ? nullptr : p.bias + first, p.c + first);
  }
}

/// All panels of B, one after the other.
void pack_all(const Gemm& g, const float* b, float* packed) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(kTag));
  for (std::int64_t first = 0; first < g.n; first += kPanel * lanes) {
    const std::int64_t columns = std::min(kPanel * lanes, g.n - first);
    pack_panel(g, b, first, (columns + lanes - 1) / lanes * lanes, packed + first * g.k);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace chop::runtime
HWY_AFTER_NAMESPACE();
#endif
