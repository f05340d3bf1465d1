// instance_norm: each channel of each image by its own mean and variance, which are added up in
// double.
#include "ops/core/common.hpp"
#include "runtime/elementwise.hpp"
#include "runtime/kernel.hpp"

namespace chop::runtime::kernels {
namespace {

/// Σ f(x[i]) in eight sums, added in their order.
template <class F>
double sum_of(const float* x, std::int64_t count, F f) {
  constexpr std::int64_t kSums = 8;
  double sums[kSums] = {};
  std::int64_t i = 0;
  for (; i + kSums <= count; i += kSums)
    for (std::int64_t k = 0; k < kSums; ++k) sums[k] += f(static_cast<double>(x[i + k]));
  for (; i < count; ++i) sums[i % kSums] += f(static_cast<double>(x[i]));
  double total = 0;
  for (const double sum : sums) total += sum;
  return total;
}

Kernel make(const KernelCall& call) {
  if (!all_float(call)) return {};
  const std::int64_t inner = ops::product(call.shape(0), 2);
  const std::int64_t channels = call.shape(0)[1];
  const std::int64_t lanes = call.shape(0)[0] * channels;
  const double count = std::max(1.0, static_cast<double>(inner));
  const double eps = call.real("eps");
  const bool worth_it = lanes * inner > kChunk;
  return [=](const KernelArgs& args, const RunContext& context) {
    parallel_for(worth_it ? context.threads : 1, lanes, [&](std::int64_t lane) {
      const float* const x = args.input(0) + lane * inner;
      const double mean = sum_of(x, inner, [](double v) { return v; }) / count;
      const double squares = sum_of(x, inner, [&](double v) { return (v - mean) * (v - mean); });
      const double invstd = 1.0 / std::sqrt(squares / count + eps);
      const double scale = invstd * static_cast<double>(args.input(1)[lane % channels]);
      const auto shift = static_cast<double>(args.input(2)[lane % channels]);
      if (float* const y = args.output(); y != nullptr)
        for (std::int64_t i = 0; i < inner; ++i)
          y[lane * inner + i] =
              static_cast<float>((static_cast<double>(x[i]) - mean) * scale + shift);
      if (args.output(1) != nullptr) args.output(1)[lane] = static_cast<float>(mean);
      if (args.output(2) != nullptr) args.output(2)[lane] = static_cast<float>(invstd);
    });
  };
}

}  // namespace

std::vector<KernelDef> instance_norm() {
  return {{"instance_norm", make}};
}

}  // namespace chop::runtime::kernels
