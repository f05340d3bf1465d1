// mse_loss: squared differences, summed in double over fixed chunks.
#include "runtime/elementwise.hpp"
#include "runtime/kernel.hpp"

namespace chop::runtime::kernels {
namespace {

double sum_of_squares(const float* x, const float* target, std::int64_t count) {
  double sum = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    const double d = static_cast<double>(x[i]) - static_cast<double>(target[i]);
    sum += d * d;
  }
  return sum;
}

Kernel make(const KernelCall& call) {
  if (call.in[0].dtype != DType::F32 || call.in[1].dtype != DType::F32) return {};
  const std::int64_t count = numel(call.shape(0));
  const double divisor = call.text("reduction") == "mean" ? static_cast<double>(count) : 1.0;
  const std::int64_t chunks = (count + kChunk - 1) / kChunk;
  auto partial = std::make_shared<std::vector<double>>(static_cast<std::size_t>(chunks));
  return [=](const KernelArgs& args, const RunContext& context) {
    parallel_for(context.threads, chunks, [&](std::int64_t chunk) {
      const std::int64_t first = chunk * kChunk;
      (*partial)[static_cast<std::size_t>(chunk)] = sum_of_squares(
          args.input(0) + first, args.input(1) + first, std::min(kChunk, count - first));
    });
    double total = 0;
    for (const double part : *partial) total += part;
    *args.output() = static_cast<float>(total / divisor);
  };
}

}  // namespace

std::vector<KernelDef> mse_loss() {
  return {{"mse_loss", make}};
}

}  // namespace chop::runtime::kernels
