// embedding and its gradient: rows of a table picked, and added back.
#include <algorithm>
#include <cstring>
#include <limits>

#include "runtime/kernel.hpp"

namespace chop::runtime::kernels {
namespace {

Kernel make_forward(const KernelCall& call) {
  if (call.in[0].dtype != DType::I64 || call.in[1].dtype != DType::F32) return {};
  const std::int64_t count = numel(call.shape(0));
  const std::int64_t rows = call.shape(1)[0];
  const std::int64_t dim = call.shape(1)[1];
  return [=](const KernelArgs& args, const RunContext& /*context*/) {
    const auto* indices = args.input<std::int64_t>(0);
    for (std::int64_t i = 0; i < count; ++i) {
      float* y = args.output() + i * dim;
      if (indices[i] >= 0 && indices[i] < rows)
        std::memcpy(y, args.input(1) + indices[i] * dim,
                    static_cast<std::size_t>(dim) * sizeof(float));
      else  // as the reference: bad data shows in the first loss
        std::fill(y, y + dim, std::numeric_limits<float>::quiet_NaN());
    }
  };
}

Kernel make_grad(const KernelCall& call) {
  if (call.in[0].dtype != DType::F32 || call.in[1].dtype != DType::I64) return {};
  const std::int64_t count = numel(call.shape(1));
  const std::int64_t rows = call.out[0].shape[0];
  const std::int64_t dim = call.out[0].shape[1];
  const std::int64_t padding = call.integer("padding_idx");
  return [=](const KernelArgs& args, const RunContext& /*context*/) {
    const auto* indices = args.input<std::int64_t>(1);
    float* dw = args.output();
    std::fill(dw, dw + rows * dim, 0.0F);
    for (std::int64_t i = 0; i < count; ++i) {
      if (indices[i] < 0 || indices[i] >= rows || indices[i] == padding) continue;
      const float* dy = args.input(0) + i * dim;
      float* row = dw + indices[i] * dim;
      for (std::int64_t j = 0; j < dim; ++j) row[j] += dy[j];
    }
  };
}

}  // namespace

std::vector<KernelDef> embedding() {
  return {{"embedding", make_forward}, {"embedding_grad", make_grad}};
}

}  // namespace chop::runtime::kernels
