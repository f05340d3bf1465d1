// softmax, log_softmax and their gradients along any dimension: x as [outer, size, inner].
//
// With inner = 1 a lane is a row; otherwise a block of neighbouring lanes is done together,
// so that both read memory in order.
#include "ops/families/indexing/shapes.hpp"
#include "runtime/elementwise.hpp"
#include "runtime/kernel.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "runtime/kernels/softmax.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
//
#include "runtime/simd_math-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace chop::runtime::kernels::HWY_NAMESPACE {
using namespace chop::runtime::simd::HWY_NAMESPACE;
namespace {

void exponentials(const float* x, float* y, std::int64_t count) {
  map(x, y, count, [](V at) { return exp_of(at); });
}

}  // namespace
}  // namespace chop::runtime::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace chop::runtime::kernels {
HWY_EXPORT(exponentials);
namespace {

constexpr std::int64_t kWidth = 64;  ///< lanes done together when inner > 1

struct Lanes {
  std::int64_t outer, size, inner;
};

Lanes lanes_of(const KernelCall& call) {
  const Shape& shape = call.shape(0);
  const ops::Lanes l =
      ops::lanes_of(shape, ops::axis_of(call.integer("dim"), shape.size()).value());
  return {static_cast<std::int64_t>(l.outer), static_cast<std::int64_t>(l.size),
          static_cast<std::int64_t>(l.inner)};
}

/// Elements `step` apart along the lane, `width` lanes side by side.
struct Block {
  std::int64_t size, step, width;
};

/// Calls work(offset, block) for blocks that cover the tensor.
template <class Work>
void each_block(const Lanes& l, int threads, Work work) {
  const std::int64_t count = l.outer * l.size * l.inner;
  if (l.inner == 1) {
    const std::int64_t rows =
        std::max<std::int64_t>(1, kChunk / 4 / std::max<std::int64_t>(1, l.size));
    parallel_for(count > kChunk ? threads : 1, (l.outer + rows - 1) / rows, [&](std::int64_t task) {
      for (std::int64_t o = task * rows; o < std::min(l.outer, (task + 1) * rows); ++o)
        work(o * l.size, Block{l.size, 1, 1});
    });
    return;
  }
  const std::int64_t blocks = (l.inner + kWidth - 1) / kWidth;
  parallel_for(count > kChunk ? threads : 1, l.outer * blocks, [&](std::int64_t task) {
    const std::int64_t first = task % blocks * kWidth;
    work(task / blocks * l.size * l.inner + first,
         Block{l.size, l.inner, std::min(kWidth, l.inner - first)});
  });
}

/// y = e^(x - top), and their sums. Vectors run along the lane where it is contiguous (step 1), and
/// otherwise across the lanes of the block.
void shifted_exponentials(Block b, const float* x, float* y, float* top, double* sum) {
  for (std::int64_t i = 0; i < b.width; ++i) {
    top[i] = -std::numeric_limits<float>::infinity();
    sum[i] = 0;
  }
  for (std::int64_t j = 0; j < b.size; ++j)
    for (std::int64_t i = 0; i < b.width; ++i) top[i] = std::max(top[i], x[j * b.step + i]);
  for (std::int64_t j = 0; j < b.size; ++j)
    for (std::int64_t i = 0; i < b.width; ++i) y[j * b.step + i] = x[j * b.step + i] - top[i];
  if (b.step == 1) {
    HWY_DYNAMIC_DISPATCH(exponentials)(y, y, b.size);
  } else {
    for (std::int64_t j = 0; j < b.size; ++j)
      HWY_DYNAMIC_DISPATCH(exponentials)(y + j * b.step, y + j * b.step, b.width);
  }
  for (std::int64_t j = 0; j < b.size; ++j)
    for (std::int64_t i = 0; i < b.width; ++i) sum[i] += static_cast<double>(y[j * b.step + i]);
}

void run_softmax(const KernelArgs& args, std::int64_t at, Block b) {
  float top[kWidth];
  double sum[kWidth];
  float* y = args.output() + at;
  shifted_exponentials(b, args.input(0) + at, y, top, sum);
  for (std::int64_t j = 0; j < b.size; ++j)
    for (std::int64_t i = 0; i < b.width; ++i) y[j * b.step + i] /= static_cast<float>(sum[i]);
}

void run_log_softmax(const KernelArgs& args, std::int64_t at, Block b) {
  float top[kWidth];
  double sum[kWidth];
  const float* x = args.input(0) + at;
  float* y = args.output() + at;
  shifted_exponentials(b, x, y, top, sum);
  for (std::int64_t i = 0; i < b.width; ++i) sum[i] = std::log(sum[i]);
  for (std::int64_t j = 0; j < b.size; ++j)
    for (std::int64_t i = 0; i < b.width; ++i)
      y[j * b.step + i] =
          static_cast<float>(static_cast<double>(x[j * b.step + i] - top[i]) - sum[i]);
}

/// dx = y · (dy - Σ dy·y)
void run_softmax_grad(const KernelArgs& args, std::int64_t at, Block b) {
  const float* dy = args.input(0) + at;
  const float* y = args.input(1) + at;
  float* dx = args.output() + at;
  double sum[kWidth] = {};
  for (std::int64_t j = 0; j < b.size; ++j)
    for (std::int64_t i = 0; i < b.width; ++i)
      sum[i] += static_cast<double>(dy[j * b.step + i]) * static_cast<double>(y[j * b.step + i]);
  for (std::int64_t j = 0; j < b.size; ++j)
    for (std::int64_t i = 0; i < b.width; ++i)
      dx[j * b.step + i] = y[j * b.step + i] * (dy[j * b.step + i] - static_cast<float>(sum[i]));
}

/// dx = dy - e^y · Σ dy
void run_log_softmax_grad(const KernelArgs& args, std::int64_t at, Block b) {
  const float* dy = args.input(0) + at;
  const float* y = args.input(1) + at;
  float* dx = args.output() + at;
  double sum[kWidth] = {};
  for (std::int64_t j = 0; j < b.size; ++j)
    for (std::int64_t i = 0; i < b.width; ++i) sum[i] += static_cast<double>(dy[j * b.step + i]);
  if (b.step == 1) {
    HWY_DYNAMIC_DISPATCH(exponentials)(y, dx, b.size);
  } else {
    for (std::int64_t j = 0; j < b.size; ++j)
      HWY_DYNAMIC_DISPATCH(exponentials)(y + j * b.step, dx + j * b.step, b.width);
  }
  for (std::int64_t j = 0; j < b.size; ++j)
    for (std::int64_t i = 0; i < b.width; ++i)
      dx[j * b.step + i] = dy[j * b.step + i] - dx[j * b.step + i] * static_cast<float>(sum[i]);
}

/// A kernel that does each block with kRun.
template <void (*kRun)(const KernelArgs&, std::int64_t at, Block)>
Kernel make(const KernelCall& call) {
  if (call.in[0].dtype != DType::F32) return {};
  const Lanes lanes = lanes_of(call);
  return [lanes](const KernelArgs& args, const RunContext& context) {
    each_block(lanes, context.threads,
               [&](std::int64_t at, Block block) { kRun(args, at, block); });
  };
}

}  // namespace

std::vector<KernelDef> softmax() {
  return {{"softmax", make<run_softmax>},
          {"softmax_grad", make<run_softmax_grad>},
          {"log_softmax", make<run_log_softmax>},
          {"log_softmax_grad", make<run_log_softmax_grad>}};
}

}  // namespace chop::runtime::kernels
#endif
