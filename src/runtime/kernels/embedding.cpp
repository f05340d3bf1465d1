// embedding and its gradient: rows of a table picked, and added back.
#include <cstring>

#include "runtime/elementwise.hpp"
#include "runtime/kernel.hpp"
#include "runtime/scratch.hpp"

namespace chop::runtime::kernels {
namespace {

Kernel make_forward(const KernelCall& call) {
  if (call.in[0].dtype != DType::I64 || call.in[1].dtype != DType::F32) return {};
  const std::int64_t count = numel(call.shape(0));
  const std::int64_t dim = call.shape(1)[1];
  return [=](const KernelArgs& args, const RunContext& /*context*/) {
    const auto* indices = args.input<std::int64_t>(0);
    for (std::int64_t i = 0; i < count; ++i)  // all inside: the plan has checked them
      std::memcpy(args.output() + i * dim, args.input(1) + indices[i] * dim,
                  static_cast<std::size_t>(dim) * sizeof(float));
  };
}

/// y = Σ of the rows of x at `positions`, in double.
void add_rows(std::span<const std::int64_t> positions, const float* x, std::int64_t dim, float* y) {
  constexpr std::int64_t kStretch = 256;
  for (std::int64_t start = 0; start < dim; start += kStretch) {
    const std::int64_t width = std::min(kStretch, dim - start);
    double sums[kStretch] = {};
    for (const std::int64_t position : positions)
      for (std::int64_t j = 0; j < width; ++j)
        sums[j] += static_cast<double>(x[position * dim + start + j]);
    for (std::int64_t j = 0; j < width; ++j) y[start + j] = static_cast<float>(sums[j]);
  }
}

Kernel make_grad(const KernelCall& call) {
  if (call.in[0].dtype != DType::F32 || call.in[1].dtype != DType::I64) return {};
  const std::int64_t count = numel(call.shape(1));
  const std::int64_t rows = call.out[0].shape[0];
  const std::int64_t dim = call.out[0].shape[1];
  const std::int64_t padding = call.integer("padding_idx");
  return [=](const KernelArgs& args, const RunContext& context) {
    const auto* indices = args.input<std::int64_t>(1);
    // The positions of each row, in order, those of row r at order[first[r]] to order[first[r +
    // 1]].
    auto* const first = reinterpret_cast<std::int64_t*>(thread_scratch(
        static_cast<std::size_t>(rows + 2 + count) * sizeof(std::int64_t), ScratchFor::Call));
    std::int64_t* const order = first + rows + 2;
    const auto counts = [=](std::int64_t row) { return row >= 0 && row < rows && row != padding; };
    std::fill(first, first + rows + 2, 0);
    for (std::int64_t i = 0; i < count; ++i)
      if (counts(indices[i])) ++first[indices[i] + 2];
    for (std::int64_t row = 0; row < rows; ++row) first[row + 2] += first[row + 1];
    for (std::int64_t i = 0; i < count; ++i)
      if (counts(indices[i])) order[first[indices[i] + 1]++] = i;
    const std::int64_t block = std::max<std::int64_t>(1, kChunk / dim);
    parallel_for(count * dim > kChunk ? context.threads : 1, (rows + block - 1) / block,
                 [&](std::int64_t task) {
                   for (std::int64_t row = task * block; row < std::min(rows, (task + 1) * block);
                        ++row)
                     add_rows({order + first[row], order + first[row + 1]}, args.input(0), dim,
                              args.output() + row * dim);
                 });
  };
}

}  // namespace

std::vector<KernelDef> embedding() {
  return {{"embedding", make_forward}, {"embedding_grad", make_grad}};
}

}  // namespace chop::runtime::kernels
