// Small products: B is packed into panels of full vectors; tiles of up to 6 rows by 2
// vectors stay in registers while k runs. Large products go to oneDNN, cut into blocks of C
// that depend on the shape alone, so that the bits do not depend on the number of threads.
#include "runtime/gemm.hpp"

#include <omp.h>
#include <oneapi/dnnl/dnnl.h>

#include <algorithm>
#include <cassert>

#include "support/threads.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "runtime/gemm.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace chop {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

const hn::ScalableTag<float> kTag;
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

/// A block of rows of C by oneDNN, on this thread alone.
void dnnl_rows(const Gemm& g, const float* a, const float* b, const float* bias, float* c,
               std::int64_t first, std::int64_t rows) {
  omp_set_num_threads(1);
  const char trans_a = g.a_col == 1 ? 'N' : 'T';
  const char trans_b = g.b_col == 1 ? 'N' : 'T';
  [[maybe_unused]] const dnnl_status_t status = dnnl_sgemm(
      trans_a, trans_b, rows, g.n, g.k, 1.0F, a + first * g.a_row, g.a_col == 1 ? g.a_row : g.a_col,
      b, g.b_col == 1 ? g.b_row : g.b_col, 0.0F, c + first * g.c_row, g.c_row);
  assert(status == dnnl_success && "oneDNN refused a plain product");
  if (bias == nullptr && !g.relu) return;
  for (std::int64_t i = first; i < first + rows; ++i)
    for (std::int64_t j = 0; j < g.n; ++j) {
      float y = c[i * g.c_row + j] + (bias == nullptr ? 0.0F : bias[j]);
      if (g.relu && y < 0) y = 0;
      c[i * g.c_row + j] = y;
    }
}

}  // namespace

std::size_t Gemm::scratch() const {
  return static_cast<std::size_t>(std::max<std::int64_t>(k, 1) *
                                  HWY_DYNAMIC_DISPATCH(panel_floats)());
}

void Gemm::run(const float* a, const float* b, const float* bias, float* c, float* scratch_memory,
               int threads) const {
  if (m == 0 || n == 0) return;
  if (!is_large(*this)) {
    HWY_DYNAMIC_DISPATCH(small_gemm)(*this, a, b, bias, c, scratch_memory);
    return;
  }
  const std::int64_t rows = std::clamp<std::int64_t>(kTaskWork / (n * k), 1, m);
  const std::int64_t tasks = (m + rows - 1) / rows;
  parallel_for(threads, tasks, [&](std::int64_t task) {
    dnnl_rows(*this, a, b, bias, c, task * rows, std::min(rows, m - task * rows));
  });
}

}  // namespace chop
#endif
