// matmul and bmm: one matrix product per batch, batches shared among threads.

#include "ops/core/common.hpp"
#include "runtime/gemm/gemm.hpp"
#include "runtime/kernel.hpp"
#include "runtime/loops.hpp"
#include "runtime/scratch.hpp"
#include "support/system/threads.hpp"

namespace chop::runtime::kernels {
namespace {

Shape leading(const Shape& matrix) {
  return {matrix.begin(), matrix.end() - 2};
}

/// a [.., m, k] times b [.., k, n], leading dimensions broadcast.
Kernel product(Shape a, Shape b) {
  const Shape batch = ops::broadcast(leading(a), leading(b)).value();
  const std::int64_t m = a[a.size() - 2];
  const std::int64_t k = a.back();
  const std::int64_t n = b.back();
  const std::int64_t batches = numel(batch);
  if (batches * m * n == 0) return [](const KernelArgs& /*args*/, const RunContext& /*context*/) {};
  const Loops loops =
      merge_loops(batch, {broadcast_steps(leading(a), batch), broadcast_steps(leading(b), batch)});
  const Gemm gemm{.m = m, .n = n, .k = k, .a_row = k, .b_row = n, .c_row = n};
  const std::size_t scratch = gemm.scratch() * sizeof(float);
  const bool worth_it = batches > 1 && batches * m * n * k > (std::int64_t{1} << 18);
  const auto run = [=](const KernelArgs& args, const RunContext& context) {
    const auto one = [&](std::int64_t i, int threads) {
      gemm.run(args.input(0) + loops.offset(0, loops.depth(), i) * m * k,
               args.input(1) + loops.offset(1, loops.depth(), i) * k * n, nullptr,
               args.output() + i * m * n, reinterpret_cast<float*>(thread_scratch(scratch)),
               threads);
    };
    if (worth_it) return parallel_for(context.threads, batches, [&](auto i) { one(i, 1); });
    for (std::int64_t i = 0; i < batches; ++i) one(i, context.threads);
  };
  return {run, gemm.backend()};
}

Kernel make_matmul(const KernelCall& call) {
  if (call.in[0].dtype != DType::F32 || call.in[1].dtype != DType::F32) return {};
  Shape a = call.shape(0);
  Shape b = call.shape(1);
  if (a.size() == 1) a.insert(a.begin(), 1);  // a vector is one row on the left,
  if (b.size() == 1) b.push_back(1);          // one column on the right
  return product(std::move(a), std::move(b));
}

}  // namespace

std::vector<KernelDef> matmul() {
  return {{"matmul", make_matmul}, {"bmm", make_matmul}};
}

}  // namespace chop::runtime::kernels
