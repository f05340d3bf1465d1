// layer_norm and layer_norm_grad in SIMD, over x as rows of `width` elements.
#include "ops/core/common.hpp"
#include "runtime/elementwise.hpp"
#include "runtime/kernel.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "runtime/kernels/layer_norm.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
//
#include "runtime/simd_math-inl.hpp"

#ifndef CH_LAYER_NORM_ARGS
#define CH_LAYER_NORM_ARGS
namespace chop::runtime::kernels {
/// Pointers may be null where the call has no such operand or nobody reads the result.
struct LayerNorm {
  std::int64_t rows, width;
  float eps;
  const float *x, *weight, *bias;
  float *y, *mean, *invstd;
};
constexpr std::int64_t kColumns = 64;  ///< of a task of sums down the rows
struct LayerNormGrad {
  std::int64_t rows, width;
  const float *dy, *x, *mean, *invstd, *weight;
  float *dx, *dweight, *dbias;
};
}  // namespace chop::runtime::kernels
#endif

HWY_BEFORE_NAMESPACE();
namespace chop::runtime::kernels::HWY_NAMESPACE {
using namespace chop::runtime::simd::HWY_NAMESPACE;
namespace {

V load(M m, const float* from) {
  return hn::MaskedLoad(m, kTag, from);
}
V load_or(M m, const float* from, std::int64_t at, float otherwise) {
  return from == nullptr ? set(otherwise) : load(m, from + at);
}

template <class F>
void each_vector(std::int64_t count, F f) {
  for (std::int64_t i = 0; i < count; i += lane_count()) f(i, first(count - i));
}

template <class F>
float mean_of(std::int64_t count, F f) {
  return static_cast<float>(long_sum_of(count, f) / static_cast<double>(count));
}

void layer_norm_row(const LayerNorm& a, std::int64_t row) {
  const float* x = a.x + row * a.width;
  const float mean = mean_of(a.width, [&](std::int64_t i, M m) { return load(m, x + i); });
  const V centre = set(mean);
  const float var = mean_of(a.width, [&](std::int64_t i, M m) {
    const V d = hn::Sub(load(m, x + i), centre);
    return hn::Mul(d, d);
  });
  const float invstd = 1.0F / std::sqrt(var + a.eps);
  if (a.mean != nullptr) a.mean[row] = mean;
  if (a.invstd != nullptr) a.invstd[row] = invstd;
  if (a.y == nullptr) return;
  float* y = a.y + row * a.width;
  each_vector(a.width, [&](std::int64_t i, M m) {
    const V normalised = hn::Mul(hn::Sub(load(m, x + i), centre), set(invstd));
    const V scaled = hn::MulAdd(normalised, load_or(m, a.weight, i, 1), load_or(m, a.bias, i, 0));
    hn::BlendedStore(scaled, m, kTag, y + i);
  });
}

void layer_norm_dx(const LayerNormGrad& a, std::int64_t row) {
  const float* x = a.x + row * a.width;
  const float* dy = a.dy + row * a.width;
  const V mean = set(a.mean[row]);
  const V invstd = set(a.invstd[row]);
  const auto g = [&](std::int64_t i, M m) {
    return hn::Mul(load(m, dy + i), load_or(m, a.weight, i, 1));
  };
  const auto normalised = [&](std::int64_t i, M m) {
    return hn::Mul(hn::Sub(load(m, x + i), mean), invstd);
  };
  const V mean_g = set(mean_of(a.width, g));
  const V pull = set(
      mean_of(a.width, [&](std::int64_t i, M m) { return hn::Mul(g(i, m), normalised(i, m)); }));
  float* dx = a.dx + row * a.width;
  each_vector(a.width, [&](std::int64_t i, M m) {
    const V d = hn::Sub(hn::Sub(g(i, m), mean_g), hn::Mul(normalised(i, m), pull));
    hn::BlendedStore(hn::Mul(d, invstd), m, kTag, dx + i);
  });
}

/// dweight and dbias of columns [start, start + count), down rows [begin, end), added to the sums.
void add_columns(const LayerNormGrad& a, std::int64_t start, std::int64_t count, std::int64_t begin,
                 std::int64_t end, double* weight_sums, double* bias_sums) {
  each_vector(count, [&](std::int64_t i, M m) {
    V dweight = zero();
    V dbias = zero();
    for (std::int64_t row = begin; row < end; ++row) {
      const std::int64_t at = row * a.width + start + i;
      const V dy = load(m, a.dy + at);
      const V centred = hn::Sub(load(m, a.x + at), set(a.mean[row]));
      dweight = hn::MulAdd(dy, hn::Mul(centred, set(a.invstd[row])), dweight);
      dbias = hn::Add(dbias, dy);
    }
    HWY_ALIGN float lanes[2][hn::MaxLanes(kTag)];
    hn::Store(dweight, kTag, lanes[0]);
    hn::Store(dbias, kTag, lanes[1]);
    for (std::int64_t k = 0; k < std::min(lane_count(), count - i); ++k) {
      weight_sums[i + k] += static_cast<double>(lanes[0][k]);
      bias_sums[i + k] += static_cast<double>(lanes[1][k]);
    }
  });
}

/// dweight and dbias of columns [start, start + count), at most kColumns: few rows at a time in
/// floats, their sums in double.
void layer_norm_columns(const LayerNormGrad& a, std::int64_t start, std::int64_t count) {
  constexpr std::int64_t kPiece = 512;
  double dweight[kColumns] = {};
  double dbias[kColumns] = {};
  for (std::int64_t row = 0; row < a.rows; row += kPiece)
    add_columns(a, start, count, row, std::min(a.rows, row + kPiece), dweight, dbias);
  for (std::int64_t i = 0; i < count; ++i) {
    if (a.dweight != nullptr) a.dweight[start + i] = static_cast<float>(dweight[i]);
    if (a.dbias != nullptr) a.dbias[start + i] = static_cast<float>(dbias[i]);
  }
}

}  // namespace
}  // namespace chop::runtime::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace chop::runtime::kernels {
HWY_EXPORT(layer_norm_row);
HWY_EXPORT(layer_norm_dx);
HWY_EXPORT(layer_norm_columns);
namespace {

/// Rows in tasks of about one chunk.
template <class Work>
void each_row(std::int64_t rows, std::int64_t width, int threads, Work work) {
  const std::int64_t block = std::max<std::int64_t>(1, kChunk / std::max<std::int64_t>(1, width));
  parallel_for(threads, (rows + block - 1) / block, [&](std::int64_t task) {
    for (std::int64_t r = task * block; r < std::min(rows, (task + 1) * block); ++r) work(r);
  });
}

Kernel make_norm(const KernelCall& call) {
  if (call.in[0].dtype != DType::F32 || numel(call.shape(0)) == 0) return {};
  const std::int64_t width = ops::product(call.ints("normalized_shape"), 0);
  const std::int64_t rows = numel(call.shape(0)) / width;
  const auto eps = static_cast<float>(call.real("eps"));
  const bool affine = call.flag("elementwise_affine");
  return [=](const KernelArgs& args, const RunContext& context) {
    const LayerNorm a{.rows = rows,
                      .width = width,
                      .eps = eps,
                      .x = args.input(0),
                      .weight = affine ? args.input(1) : nullptr,
                      .bias = affine ? args.input(2) : nullptr,
                      .y = args.output(0),
                      .mean = args.output(1),
                      .invstd = args.output(2)};
    each_row(rows, width, context.threads, [&](std::int64_t row) {
      HWY_DYNAMIC_DISPATCH(layer_norm_row)(a, row);
    });
  };
}

Kernel make_grad(const KernelCall& call) {
  if (call.in[0].dtype != DType::F32 || numel(call.shape(1)) == 0) return {};
  const std::int64_t width = ops::product(call.ints("normalized_shape"), 0);
  const std::int64_t rows = numel(call.shape(1)) / width;
  const bool affine = call.flag("elementwise_affine");
  const bool worth_it = rows * width > kChunk;
  return [=](const KernelArgs& args, const RunContext& context) {
    const LayerNormGrad a{.rows = rows,
                          .width = width,
                          .dy = args.input(0),
                          .x = args.input(1),
                          .mean = args.input(2),
                          .invstd = args.input(3),
                          .weight = affine ? args.input(4) : nullptr,
                          .dx = args.output(0),
                          .dweight = args.output(1),
                          .dbias = args.output(2)};
    if (a.dx != nullptr)
      each_row(rows, width, context.threads, [&](std::int64_t row) {
        HWY_DYNAMIC_DISPATCH(layer_norm_dx)(a, row);
      });
    if (a.dweight == nullptr && a.dbias == nullptr) return;
    parallel_for(worth_it ? context.threads : 1, (width + kColumns - 1) / kColumns,
                 [&](std::int64_t task) {
                   const std::int64_t first = task * kColumns;
                   HWY_DYNAMIC_DISPATCH(layer_norm_columns)
                   (a, first, std::min(kColumns, width - first));
                 });
  };
}

}  // namespace

std::vector<KernelDef> layer_norm() {
  return {{"layer_norm", make_norm}, {"layer_norm_grad", make_grad}};
}

}  // namespace chop::runtime::kernels
#endif
