// conv1d, conv2d and conv_grad: as single calls through oneDNN, channels first
// (runtime/conv/train), and at the head of a chain through a backend, channels last
// (runtime/conv/frozen).

#include "runtime/conv/frozen/frozen_conv.hpp"
#include "runtime/conv/train/long_sums.hpp"
#include "runtime/elementwise.hpp"
#include "runtime/kernel.hpp"

namespace chop::runtime::kernels {
namespace {

Kernel make_conv(const KernelCall& call) {
  if (!all_float(call)) return {};
  const bool bias = call.flag("bias");
  const ops::ConvShape shape = ops::conv_shape(call, call.shape(0), call.shape(1)).value();
  if (has_long_windows(shape)) return {};  // wide_products.cpp adds up in double
  const ConvForward run = conv_forward(shape, bias);
  if (!run) return {};
  return {[run, bias](const KernelArgs& args, const RunContext& context) {
            run(args.input(0), args.input(1), bias ? args.input(2) : nullptr, args.output(),
                context.threads);
          },
          "onednn"};
}

/// Images with a batch that a backend takes.
bool heads_chain(const KernelCall& call) {
  const Result<ops::ConvShape> shape = ops::conv_shape(call, call.shape(0), call.shape(1));
  if (!shape || call.in[1].dtype != DType::F32) return false;
  const ops::ConvShape& conv = shape.value();
  if (call.shape(0).size() != conv.dims + 2) return false;
  if (numel(call.shape(0)) == 0 || numel(call.out[0].shape) == 0) return false;
  ConvJob job{.shape = conv};
  if (call.in[0].dtype != DType::F32)
    job.grid = Grid{};
  else if (has_long_windows(conv))
    return false;  // backends add up in floats alone
  return is_conv_possible(job);
}

Kernel make_chain(const KernelCall& call, Epilogue epilogue) {
  FrozenConvJob job = frozen_conv_job(call, std::move(epilogue));
  job.shape = ops::conv_shape(call, call.shape(0), call.shape(1)).value();
  return frozen_conv(std::move(job));
}

/// db[o] = Σ dy over images and positions, accumulated in double.
void sum_channel(const ops::ConvShape& conv, const float* dy, std::int64_t o, float* db) {
  const std::int64_t area = conv.window.out.area();
  double total = 0;
  for (std::int64_t n = 0; n < conv.batch; ++n) {
    const float* plane = dy + (n * conv.out_channels + o) * area;
    double sums[4] = {};
    std::int64_t i = 0;
    for (; i + 4 <= area; i += 4)
      for (std::int64_t k = 0; k < 4; ++k) sums[k] += static_cast<double>(plane[i + k]);
    for (; i < area; ++i) sums[0] += static_cast<double>(plane[i]);
    total += (sums[0] + sums[1]) + (sums[2] + sums[3]);
  }
  db[o] = static_cast<float>(total);
}

Kernel make_grad(const KernelCall& call) {
  if (!all_float(call)) return {};
  const ops::ConvShape conv = ops::conv_shape(call, call.shape(1), call.shape(2)).value();
  if (conv.dims > 2) return {};
  const ConvToInput to_input = call.used[0] ? conv_to_input(conv) : ConvToInput();
  const ConvToWeight to_weight = call.used[1] ? conv_to_weight(conv) : ConvToWeight();
  if ((call.used[0] && !to_input) || (call.used[1] && !to_weight)) return {};
  const bool worth_it = numel(call.shape(0)) > kChunk;
  const auto run = [=](const KernelArgs& args, const RunContext& context) {
    const float* dy = args.input(0);
    if (to_input) to_input(dy, args.input(2), args.output(0), context.threads);
    if (to_weight) to_weight(dy, args.input(1), args.output(1), context.threads);
    if (float* db = args.output(2); db != nullptr)
      parallel_for(worth_it ? context.threads : 1, conv.out_channels,
                   [&](std::int64_t o) { sum_channel(conv, dy, o, db); });
  };
  return {run, to_input || to_weight ? "onednn" : ""};
}

}  // namespace

std::vector<KernelDef> conv() {
  std::vector<KernelDef> defs = {{"conv_grad", make_grad}};
  for (const char* op : {"conv1d", "conv2d"})
    defs.push_back(
        {.op = op, .make = make_conv, .heads_chain = heads_chain, .make_chain = make_chain});
  return defs;
}

}  // namespace chop::runtime::kernels
