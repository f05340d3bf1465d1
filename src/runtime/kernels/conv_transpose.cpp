// conv_transpose1d and conv_transpose2d: the gradient to the input of the convolution that leads
// from y back to x, and the bias.
#include "ops/families/layers/conv_transpose.hpp"
#include "runtime/conv/train/train_conv.hpp"
#include "runtime/elementwise.hpp"
#include "runtime/kernel.hpp"

namespace chop::runtime::kernels {
namespace {

Kernel make(const KernelCall& call) {
  if (!all_float(call) || numel(call.out[0].shape) == 0 || numel(call.shape(0)) == 0) return {};
  const ops::ConvShape conv = ops::conv_transpose_shape(call, call.shape(0), call.shape(1)).value();
  if (conv.dims > 2) return {};
  const ConvToInput run = conv_to_input(conv);
  if (!run) return {};
  const bool bias = call.in.size() > 2;
  const std::int64_t area = conv.window.in.area();
  const std::int64_t planes = conv.batch * conv.in_channels;
  const bool worth_it = planes * area > kChunk;
  return [=](const KernelArgs& args, const RunContext& context) {
    run(args.input(0), args.input(1), args.output(), context.threads);
    if (!bias) return;
    parallel_for(worth_it ? context.threads : 1, planes, [&](std::int64_t plane) {
      const float b = args.input(2)[plane % conv.in_channels];
      float* const y = args.output() + plane * area;
      for (std::int64_t i = 0; i < area; ++i) y[i] += b;
    });
  };
}

}  // namespace

std::vector<KernelDef> conv_transpose() {
  return {{"conv_transpose1d", make}, {"conv_transpose2d", make}};
}

}  // namespace chop::runtime::kernels
