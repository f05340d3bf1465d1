// dropout: the very mask of the reference, number for number; outside training a copy.
#include <cstring>

#include "runtime/elementwise.hpp"
#include "runtime/kernel.hpp"
#include "support/rng.hpp"
#include "support/text.hpp"

namespace chop::runtime::kernels {
namespace {

Kernel make(const KernelCall& call) {
  if (call.in[0].dtype != DType::F32) return {};
  const std::int64_t count = numel(call.shape(0));
  if (!call.flag("training")) {
    return [=](const KernelArgs& args, const RunContext& /*context*/) {
      if (count > 0 && args.out[0] != args.in[0])
        std::memcpy(args.out[0], args.in[0], static_cast<std::size_t>(count) * sizeof(float));
    };
  }
  const double p = call.real("p");
  const double kept = 1 / (1 - p);
  const std::string purpose = cat("dropout/", call.node_name);
  return [=](const KernelArgs& args, const RunContext& context) {
    const Stream stream(context.state.seed, purpose, context.state.step);
    const float* x = args.input(0);
    float* y = args.output(0);
    float* mask = args.output(1);
    in_chunks(context.threads, count, [&](std::int64_t first, std::int64_t length) {
      for (std::int64_t i = first; i < first + length; ++i) {
        const double m = stream.uniform(static_cast<std::uint64_t>(i)) >= p ? kept : 0.0;
        if (mask != nullptr) mask[i] = static_cast<float>(m);
        if (y != nullptr) y[i] = static_cast<float>(static_cast<double>(x[i]) * m);
      }
    });
  };
}

}  // namespace

std::vector<KernelDef> dropout() {
  return {{"dropout", make}};
}

}  // namespace chop::runtime::kernels
