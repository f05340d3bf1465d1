// sum, mean and sum_to: sums over any dimensions, accumulated in double in a fixed order.
#include "ops/families/indexing/shapes.hpp"
#include "runtime/elementwise.hpp"
#include "runtime/kernel.hpp"
#include "runtime/loops.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "runtime/kernels/reduce.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
//
#include "runtime/simd_math-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace chop::runtime::kernels::HWY_NAMESPACE {
using namespace chop::runtime::simd::HWY_NAMESPACE;
namespace {

double sum_row(const float* x, std::int64_t count) {
  return long_sum_of(count, [&](std::int64_t i, M m) { return hn::MaskedLoad(m, kTag, x + i); });
}

}  // namespace
}  // namespace chop::runtime::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace chop::runtime::kernels {
HWY_EXPORT(sum_row);
namespace {

/// Everything into one number: fixed chunks, added in order.
Kernel sum_all(std::int64_t count, double divisor) {
  const std::int64_t chunks = (count + kChunk - 1) / kChunk;
  auto partial = std::make_shared<std::vector<double>>(static_cast<std::size_t>(chunks));
  return [=](const KernelArgs& args, const RunContext& context) {
    parallel_for(context.threads, chunks, [&](std::int64_t chunk) {
      const std::int64_t first = chunk * kChunk;
      (*partial)[static_cast<std::size_t>(chunk)] =
          HWY_DYNAMIC_DISPATCH(sum_row)(args.input(0) + first, std::min(kChunk, count - first));
    });
    double total = 0;
    for (const double part : *partial) total += part;
    *args.output() = static_cast<float>(total / divisor);
  };
}

/// Each number of y is a sum of rows that lie together in x.
Kernel sum_rows(const Reduction& r, double divisor) {
  const std::int64_t outputs = r.outputs();
  const std::int64_t rows = r.rows();
  const std::int64_t block =
      std::max<std::int64_t>(1, kChunk / std::max<std::int64_t>(1, rows * r.inner));
  return [=](const KernelArgs& args, const RunContext& context) {
    parallel_for(context.threads, (outputs + block - 1) / block, [&](std::int64_t task) {
      for (std::int64_t o = task * block; o < std::min(outputs, (task + 1) * block); ++o) {
        const float* x = args.input(0) + r.kept.offset(0, r.kept.depth(), o);
        double total = 0;
        for (std::int64_t s = 0; s < rows; ++s)
          total +=
              HWY_DYNAMIC_DISPATCH(sum_row)(x + r.reduced.offset(0, r.reduced.depth(), s), r.inner);
        args.output()[r.kept.offset(1, r.kept.depth(), o)] = static_cast<float>(total / divisor);
      }
    });
  };
}

/// Rows of x are added up into rows of y, a block of columns at a time.
Kernel add_rows(const Reduction& r, double divisor) {
  constexpr std::int64_t kColumns = 256;
  const std::int64_t blocks = (r.inner + kColumns - 1) / kColumns;
  const std::int64_t tasks = r.outputs() * blocks;
  const std::int64_t rows = r.rows();
  const bool worth_it = tasks * rows * std::min(kColumns, r.inner) > kChunk;
  return [=](const KernelArgs& args, const RunContext& context) {
    parallel_for(worth_it ? context.threads : 1, tasks, [&](std::int64_t task) {
      const std::int64_t first = task % blocks * kColumns;
      const std::int64_t columns = std::min(kColumns, r.inner - first);
      const float* x = args.input(0) + r.kept.offset(0, r.kept.depth(), task / blocks) + first;
      float* y = args.output() + r.kept.offset(1, r.kept.depth(), task / blocks) + first;
      double total[kColumns] = {};
      for (std::int64_t s = 0; s < rows; ++s) {
        const float* row = x + r.reduced.offset(0, r.reduced.depth(), s);
        for (std::int64_t j = 0; j < columns; ++j) total[j] += static_cast<double>(row[j]);
      }
      for (std::int64_t j = 0; j < columns; ++j) y[j] = static_cast<float>(total[j] / divisor);
    });
  };
}

Kernel reduction(const Shape& in, const Shape& kept, double divisor) {
  Shape wide(in.size() - kept.size(), 1);  // y's shape with as many dimensions as x
  wide.insert(wide.end(), kept.begin(), kept.end());
  const Reduction r = reduction_loops(in, wide);
  if (r.inner_reduced && r.kept.depth() == 0 && r.reduced.depth() == 0)
    return sum_all(r.inner, divisor);
  return r.inner_reduced ? sum_rows(r, divisor) : add_rows(r, divisor);
}

/// Sums of nothing are zero, means of nothing NaN.
Kernel of_nothing(std::int64_t outputs, double divisor) {
  return [=](const KernelArgs& args, const RunContext& /*context*/) {
    std::fill(args.output(), args.output() + outputs, static_cast<float>(0 / divisor));
  };
}

Kernel make_sum_to(const KernelCall& call) {
  if (call.in[0].dtype != DType::F32) return {};
  if (numel(call.shape(0)) == 0) return of_nothing(numel(call.out[0].shape), 1);
  return reduction(call.shape(0), call.out[0].shape, 1);
}

Kernel make_divided(const KernelCall& call, double divisor) {
  if (call.in[0].dtype != DType::F32) return {};
  const Shape& in = call.shape(0);
  if (numel(in) == 0) return of_nothing(numel(call.out[0].shape), divisor);
  const std::vector<bool> axes = ops::axes_of(call.ints("dim"), in.size()).value();
  return reduction(in, ops::reduced_shape(in, axes, /*keepdim=*/true), divisor);
}

Kernel make_sum(const KernelCall& call) {
  return make_divided(call, 1);
}

Kernel make_mean(const KernelCall& call) {
  return make_divided(call, static_cast<double>(ops::reduced_count(call, call.shape(0))));
}

}  // namespace

std::vector<KernelDef> reduce() {
  return {{"sum_to", make_sum_to}, {"sum", make_sum}, {"mean", make_mean}};
}

}  // namespace chop::runtime::kernels
#endif
