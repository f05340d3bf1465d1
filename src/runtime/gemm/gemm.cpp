// Matrix products, small ones by a micro-kernel of our own, large ones by oneDNN.
//
// Small: by panels of B (gemm_panels-inl.hpp). Weights that stay are packed once (Gemm::pack).
//
// Large: oneDNN, cut into blocks of C that depend on the shape alone, so that the bits do not
// depend on the number of threads.
#include "runtime/gemm/gemm.hpp"

#include "runtime/onednn.hpp"
#include "runtime/scratch.hpp"
#include "runtime/shares.hpp"
#include "support/system/big_memory.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "runtime/gemm/gemm.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "runtime/gemm/gemm_panels-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace chop::runtime {
namespace HWY_NAMESPACE {

std::int64_t panel_floats() {
  return kPanel * static_cast<std::int64_t>(hn::Lanes(kTag));
}
std::int64_t vector_floats() {
  return static_cast<std::int64_t>(hn::Lanes(kTag));
}

}  // namespace HWY_NAMESPACE
}  // namespace chop::runtime
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace chop::runtime {
HWY_EXPORT(small_gemm);
HWY_EXPORT(panel_floats);
HWY_EXPORT(vector_floats);
HWY_EXPORT(pack_all);
namespace {

/// Above this many multiply-accumulates oneDNN's blocking pays for its call.
constexpr std::int64_t kLargeWork = std::int64_t{1} << 21;
/// Numbers in B or C up to which it pays little: such products are ours at any size of A, so that
/// small networks have the same bits on every processor.
constexpr std::int64_t kSmallMatrix = 64 * 128;
/// Work of one task when a large product is shared among threads.
constexpr std::int64_t kTaskWork = std::int64_t{1} << 22;
/// Floats of packed weights worth a task where few rows make reading them the work.
constexpr std::int64_t kTaskWeights = std::int64_t{1} << 16;

/// A block of C: rows [row, row + rows), columns [column, column + columns).
struct Block {
  std::int64_t row, rows, column, columns;
};

/// A block of C by oneDNN, on this thread alone.
void dnnl_block(const Gemm& g, const float* a, const float* b, const float* bias, float* c,
                const Block& at) {
  prepare_onednn();
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

/// Too few elements to hide how long an addition takes: each is added up in several sums. Counted
/// in vectors of 16 whatever the processor has, because it decides the order of the sum.
bool in_strands(const Gemm& g) {
  return g.k >= 32 && g.m * ((g.n + 15) / 16) <= 8;
}

/// Rows that make a task of a product, or that are still in the cache when they are done. A few are
/// one task whatever they cost; then nothing is divided, which a product of one row would notice.
std::int64_t rows_of_task(const Gemm& g, const RowsDone& done) {
  constexpr std::int64_t kCachedFloats = std::int64_t{1} << 13;
  // Whole tiles, and whatever rows are done together.
  const std::int64_t step = done ? 48 : 12;
  if (g.m <= step) return step;
  const std::int64_t rows = kTaskWork / std::max<std::int64_t>(1, g.n * g.k);
  if (!done) return std::max(step, rows / step * step);
  return std::max(step, std::min(rows, kCachedFloats / g.n) / step * step);
}

/// Columns that make a task where few rows make reading the weights the work.
std::int64_t columns_of_task(const Gemm& g) {
  const std::int64_t width = HWY_DYNAMIC_DISPATCH(panel_floats)();
  return std::max(width, kTaskWeights / std::max<std::int64_t>(1, g.k) / width * width);
}

/// One of `parts` of C: columns where each has two vectors of them, so that no thread packs what
/// others pack too and a kernel that goes on with columns of C (batch norm) has its own in the
/// cache; else rows.
void product_part(const Gemm& g, const SmallProduct& p, int part, int parts) {
  constexpr std::int64_t kRows = 16;
  const std::int64_t unit = p.packed == nullptr ? 2 * HWY_DYNAMIC_DISPATCH(vector_floats)()
                                                : HWY_DYNAMIC_DISPATCH(panel_floats)();
  const bool by_columns = g.n >= parts * unit;
  const Share columns = by_columns ? share_of(g.n, unit, part, parts) : Share{0, g.n};
  const Share rows = by_columns ? Share{0, g.m} : share_of(g.m, kRows, part, parts);
  if (columns.size() == 0 || rows.size() == 0) return;
  float* const own = p.packed != nullptr || g.b_col == 1
                         ? nullptr
                         : reinterpret_cast<float*>(thread_scratch(g.scratch() * sizeof(float)));
  Gemm some = g;
  some.m = rows.size();
  HWY_DYNAMIC_DISPATCH(small_gemm)
  (some, {columns.begin, columns.end, in_strands(g)},
   {p.a + rows.begin * g.a_row, p.b, p.packed, p.bias, p.c + rows.begin * g.c_row, own});
}

/// Our own kernel computes each element by itself, so rows and panels may be shared out in any
/// way. Work is cut by rows, or by panels where there are few rows.
void small_product(const Gemm& g, const SmallProduct& p, int threads, const RowsDone& done = {}) {
  const bool strands = in_strands(g);
  const std::int64_t rows = threads > 1 || done ? rows_of_task(g, done) : g.m;
  if (const int parts = done || rows < g.m ? 1 : g.parts(threads); parts > 1)
    return parallel_short(
        parts, [&](std::int64_t part) { product_part(g, p, static_cast<int>(part), parts); });
  if (rows < g.m)
    return parallel_for(threads, (g.m + rows - 1) / rows, [&](std::int64_t task) {
      Gemm part = g;
      part.m = std::min(rows, g.m - task * rows);
      float* const own =
          p.packed != nullptr
              ? nullptr
              : reinterpret_cast<float*>(thread_scratch(g.scratch() * sizeof(float)));
      HWY_DYNAMIC_DISPATCH(small_gemm)
      (part, {0, g.n, strands},
       {p.a + task * rows * g.a_row, p.b, p.packed, p.bias, p.c + task * rows * g.c_row, own});
      if (done) done(task * rows, part.m);
    });
  const std::int64_t columns = threads > 1 && p.packed != nullptr ? columns_of_task(g) : g.n;
  if (columns < g.n) {
    parallel_for(threads, (g.n + columns - 1) / columns, [&](std::int64_t task) {
      HWY_DYNAMIC_DISPATCH(small_gemm)
      (g, {task * columns, std::min(g.n, (task + 1) * columns), strands}, p);
    });
  } else {
    HWY_DYNAMIC_DISPATCH(small_gemm)
    (g, {0, g.n, strands}, p);
  }
  if (done) done(0, g.m);
}

}  // namespace

std::int64_t gemm_panel_floats() {
  return HWY_DYNAMIC_DISPATCH(panel_floats)();
}
std::int64_t gemm_vector_floats() {
  return HWY_DYNAMIC_DISPATCH(vector_floats)();
}

bool Gemm::is_large() const {
  return m * n * k >= kLargeWork && k >= 32 && n >= 32 && std::min(k * n, m * n) > kSmallMatrix;
}

std::size_t Gemm::scratch() const {
  return static_cast<std::size_t>(std::max<std::int64_t>(k, 1) *
                                  HWY_DYNAMIC_DISPATCH(panel_floats)());
}

void Gemm::run(const float* a, const float* b, const float* bias, float* c, float* scratch_memory,
               int threads) const {
  if (m == 0 || n == 0) return;
  if (is_large()) return large_gemm(*this, a, b, bias, c, threads);
  small_product(*this, {a, b, nullptr, bias, c, scratch_memory}, threads);
}

int Gemm::parts(int threads) const {
  constexpr std::int64_t kLeastWork = std::int64_t{1} << 14;
  const std::int64_t work = m * n * k;
  return is_large() || work > 2 * kTaskWork ? 1 : worthwhile_parts(threads, work, kLeastWork);
}

void Gemm::run_part(const float* a, const float* b, float* c, int part, int parts) const {
  if (m > 0 && n > 0) product_part(*this, {a, b, nullptr, nullptr, c, nullptr}, part, parts);
}

std::shared_ptr<const float[]> Gemm::pack(const float* b) const {
  if (is_large()) return nullptr;
  const std::int64_t lanes = HWY_DYNAMIC_DISPATCH(vector_floats)();
  const auto floats = static_cast<std::size_t>((n + lanes - 1) / lanes * lanes * k);
  const std::shared_ptr<std::byte[]> memory = allocate_together(floats * sizeof(float));
  auto* packed = reinterpret_cast<float*>(memory.get());
  HWY_DYNAMIC_DISPATCH(pack_all)(*this, b, packed);
  return {memory, packed};
}

void Gemm::run_packed(const float* a, const float* b, const float* packed, const float* bias,
                      float* c, int threads, const RowsDone& done) const {
  if (m == 0 || n == 0) return;
  if (!is_large()) return small_product(*this, {a, b, packed, bias, c, nullptr}, threads, done);
  large_gemm(*this, a, b, bias, c, threads);
  if (!done) return;
  const std::int64_t rows = rows_of_task(*this, done);
  parallel_for(threads, (m + rows - 1) / rows,
               [&](std::int64_t task) { done(task * rows, std::min(rows, m - task * rows)); });
}

}  // namespace chop::runtime
#endif
