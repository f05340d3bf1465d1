// Small products: B is packed into panels of full vectors; tiles of up to 6 rows by 2
// vectors stay in registers while k runs. Large products go to oneDNN, cut into blocks of C
// that depend on the shape alone, so that the bits do not depend on the number of threads.
#include "runtime/gemm.hpp"

#include <omp.h>

#include <algorithm>
#include <cassert>

#include "runtime/onednn.hpp"
#include "runtime/scratch.hpp"
#include "support/threads.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "runtime/gemm.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace chop {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

constexpr hn::ScalableTag<float> kTag{};
using Vec = hn::Vec<decltype(kTag)>;

/// B(k, j) for the vectors of one panel, k after k, padded with zeros.
void pack_panel(const Gemm& g, const float* b, std::int64_t first, std::int64_t width,
                float* panel) {
  const std::int64_t columns = std::min(width, g.n - first);
  for (std::int64_t k = 0; k < g.k; ++k) {
    const float* from = b + k * g.b_row + first * g.b_col;
    float* to = panel + k * width;
    for (std::int64_t j = 0; j < columns; ++j) to[j] = from[j * g.b_col];
    for (std::int64_t j = columns; j < width; ++j) to[j] = 0;
  }
}

template <int kRows, int kVectors>
void tile(const Gemm& g, const float* a, const float* panel, std::int64_t panel_row,
          const float* bias, float* c, std::int64_t columns) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(kTag));
  Vec sum[kRows][kVectors];
  for (int r = 0; r < kRows; ++r)
    for (int v = 0; v < kVectors; ++v) sum[r][v] = hn::Zero(kTag);
  for (std::int64_t k = 0; k < g.k; ++k) {
    Vec bk[kVectors];
    for (int v = 0; v < kVectors; ++v) bk[v] = hn::LoadU(kTag, panel + k * panel_row + v * lanes);
    for (int r = 0; r < kRows; ++r) {
      const Vec ak = hn::Set(kTag, a[r * g.a_row + k * g.a_col]);
      for (int v = 0; v < kVectors; ++v) sum[r][v] = hn::MulAdd(ak, bk[v], sum[r][v]);
    }
  }
  for (int v = 0; v < kVectors; ++v) {
    const std::int64_t left = columns - v * lanes;
    if (left <= 0) break;
    const auto count = static_cast<std::size_t>(std::min(left, lanes));
    const auto mask = hn::FirstN(kTag, count);
    const Vec add = bias == nullptr ? hn::Zero(kTag) : hn::MaskedLoad(mask, kTag, bias + v * lanes);
    for (int r = 0; r < kRows; ++r) {
      Vec y = hn::Add(sum[r][v], add);
      // Not Max: a NaN must stay one.
      if (g.relu) y = hn::IfThenElse(hn::Lt(y, hn::Zero(kTag)), hn::Zero(kTag), y);
      float* out = c + r * g.c_row + v * lanes;
      if (count == static_cast<std::size_t>(lanes))
        hn::StoreU(y, kTag, out);
      else
        hn::BlendedStore(y, mask, kTag, out);
    }
  }
}

template <int kVectors>
void rows_of_panel(const Gemm& g, const float* a, const float* panel, std::int64_t panel_row,
                   const float* bias, float* c, std::int64_t columns) {
  std::int64_t i = 0;
  for (; i + 6 <= g.m; i += 6)
    tile<6, kVectors>(g, a + i * g.a_row, panel, panel_row, bias, c + i * g.c_row, columns);
  for (; i + 2 <= g.m; i += 2)
    tile<2, kVectors>(g, a + i * g.a_row, panel, panel_row, bias, c + i * g.c_row, columns);
  for (; i < g.m; ++i)
    tile<1, kVectors>(g, a + i * g.a_row, panel, panel_row, bias, c + i * g.c_row, columns);
}

void small_gemm(const Gemm& g, const float* a, const float* b, const float* bias, float* c,
                float* scratch) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(kTag));
  for (std::int64_t first = 0; first < g.n; first += 2 * lanes) {
    const std::int64_t columns = std::min(2 * lanes, g.n - first);
    const bool narrow = columns <= lanes;
    const std::int64_t width = narrow ? lanes : 2 * lanes;
    const float* panel = b + first;
    std::int64_t panel_row = g.b_row;
    if (g.b_col != 1 || columns != width) {
      pack_panel(g, b, first, width, scratch);
      panel = scratch;
      panel_row = width;
    }
    const float* panel_bias = bias == nullptr ? nullptr : bias + first;
    if (narrow)
      rows_of_panel<1>(g, a, panel, panel_row, panel_bias, c + first, columns);
    else
      rows_of_panel<2>(g, a, panel, panel_row, panel_bias, c + first, columns);
  }
}

std::int64_t panel_floats() {
  return 2 * static_cast<std::int64_t>(hn::Lanes(kTag));
}

}  // namespace HWY_NAMESPACE
}  // namespace chop
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace chop {
HWY_EXPORT(small_gemm);
HWY_EXPORT(panel_floats);
namespace {

/// Above this many multiply-accumulates oneDNN's blocking pays for its call.
constexpr std::int64_t kLargeWork = std::int64_t{1} << 21;
/// Work of one task when a large product is shared among threads.
constexpr std::int64_t kTaskWork = std::int64_t{1} << 22;

bool is_large(const Gemm& g) {
  return g.m * g.n * g.k >= kLargeWork && g.k >= 32 && g.n >= 32;
}

/// A block of C: rows [row, row + rows), columns [column, column + columns).
struct Block {
  std::int64_t row, rows, column, columns;
};

/// A block of C by oneDNN, on this thread alone.
void dnnl_block(const Gemm& g, const float* a, const float* b, const float* bias, float* c,
                const Block& at) {
  prepare_onednn();
  omp_set_num_threads(1);
  const char trans_a = g.a_col == 1 ? 'N' : 'T';
  const char trans_b = g.b_col == 1 ? 'N' : 'T';
  float* const out = c + at.row * g.c_row + at.column;
  [[maybe_unused]] const dnnl_status_t status =
      dnnl_sgemm(trans_a, trans_b, at.rows, at.columns, g.k, 1.0F, a + at.row * g.a_row,
                 g.a_col == 1 ? g.a_row : g.a_col, b + at.column * g.b_col,
                 g.b_col == 1 ? g.b_row : g.b_col, 0.0F, out, g.c_row);
  assert(status == dnnl_success && "oneDNN refused a plain product");
  if (bias == nullptr && !g.relu) return;
  for (std::int64_t i = 0; i < at.rows; ++i)
    for (std::int64_t j = 0; j < at.columns; ++j) {
      float y = out[i * g.c_row + j] + (bias == nullptr ? 0.0F : bias[at.column + j]);
      if (g.relu && y < 0) y = 0;
      out[i * g.c_row + j] = y;
    }
}

/// Blocks high enough that B is not read again and again for a few rows.
void large_gemm(const Gemm& g, const float* a, const float* b, const float* bias, float* c,
                int threads) {
  constexpr std::int64_t kRows = 192;
  constexpr std::int64_t kColumns = 64;
  const std::int64_t rows = std::min(g.m, kRows);
  const std::int64_t wanted = (kTaskWork / (rows * g.k) + kColumns - 1) / kColumns * kColumns;
  const std::int64_t columns = std::clamp(wanted, std::min(kColumns, g.n), g.n);
  const std::int64_t across = (g.n + columns - 1) / columns;
  const std::int64_t down = (g.m + rows - 1) / rows;
  parallel_for(threads, down * across, [&](std::int64_t task) {
    const std::int64_t row = task / across * rows;
    const std::int64_t column = task % across * columns;
    dnnl_block(g, a, b, bias, c,
               {row, std::min(rows, g.m - row), column, std::min(columns, g.n - column)});
  });
}

/// Our own kernel computes each element by itself, so rows may be shared out in any way.
void shared_small_gemm(const Gemm& g, const float* a, const float* b, const float* bias, float* c,
                       std::int64_t rows, int threads) {
  parallel_for(threads, (g.m + rows - 1) / rows, [&](std::int64_t task) {
    Gemm part = g;
    part.m = std::min(rows, g.m - task * rows);
    HWY_DYNAMIC_DISPATCH(small_gemm)
    (part, a + task * rows * g.a_row, b, bias, c + task * rows * g.c_row,
     reinterpret_cast<float*>(thread_scratch(g.scratch() * sizeof(float))));
  });
}

}  // namespace

std::size_t Gemm::scratch() const {
  return static_cast<std::size_t>(std::max<std::int64_t>(k, 1) *
                                  HWY_DYNAMIC_DISPATCH(panel_floats)());
}

void Gemm::run(const float* a, const float* b, const float* bias, float* c, float* scratch_memory,
               int threads) const {
  if (m == 0 || n == 0) return;
  if (is_large(*this)) return large_gemm(*this, a, b, bias, c, threads);
  const std::int64_t rows =
      std::clamp<std::int64_t>(kTaskWork / (n * std::max<std::int64_t>(k, 1)), 12, m + 12);
  if (threads > 1 && rows < m)
    return shared_small_gemm(*this, a, b, bias, c, rows / 6 * 6, threads);
  HWY_DYNAMIC_DISPATCH(small_gemm)(*this, a, b, bias, c, scratch_memory);
}

}  // namespace chop
#endif
