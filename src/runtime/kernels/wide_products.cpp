// Convolutions and products in double: those of f64 tensors (sums of many products of 8-bit
// integers, from ConvInteger, MatMulInteger and QLinear operators), and convolutions of f32 that
// oneDNN does not do.
//
// A convolution is a product with a matrix of copied windows (im2col), made for one panel of
// positions at a time:  y [oc, positions] = w [oc, ic · taps] · windows [ic · taps, positions].
#include "ops/families/layers/conv.hpp"
#include "runtime/gemm/double_panel.hpp"
#include "runtime/kernel.hpp"
#include "runtime/loops.hpp"
#include "runtime/scratch.hpp"
#include "support/system/threads.hpp"

namespace chop::runtime::kernels {
namespace {

constexpr std::int64_t kPanel = kDoublePanel;

bool all_of(const KernelCall& call, DType dtype) {
  return std::ranges::all_of(call.in, [=](const TensorType& t) { return t.dtype == dtype; });
}

double* doubles(std::int64_t count, ScratchFor use = ScratchFor::Task) {
  return reinterpret_cast<double*>(
      thread_scratch(static_cast<std::size_t>(count) * sizeof(double), use));
}

template <class T>
struct WideConv {
  ops::ConvShape conv;
  bool bias = false;

  std::int64_t depth() const { return conv.group_in() * conv.window.kernel.area(); }
  std::int64_t panels() const { return (conv.window.out.area() + kPanel - 1) / kPanel; }

  /// The taps of one channel's plane at positions [first, first + count): rows of the panel.
  void copy_windows(const T* plane, std::int64_t first, std::int64_t count, double* panel) const {
    const ops::Window& win = conv.window;
    for (std::int64_t p = 0; p < kPanel; ++p) {
      double* to = panel + p;
      if (p >= count) {
        for (std::int64_t k = 0; k < win.kernel.area(); ++k, to += kPanel) *to = 0;
        continue;
      }
      const std::int64_t at = first + p;
      const std::int64_t od = at / (win.out.h * win.out.w);
      const std::int64_t oh = at / win.out.w % win.out.h;
      for_each_tap(win, od, oh, at % win.out.w, [&](std::int64_t from) {
        *to = from < 0 ? 0 : static_cast<double>(plane[from]);
        to += kPanel;
      });
    }
  }

  void task(std::int64_t number, const KernelArgs& args, const double* w) const {
    const std::int64_t first = number % panels() * kPanel;
    const std::int64_t group = number / panels() % conv.groups;
    const std::int64_t image = number / panels() / conv.groups;
    const std::int64_t area = conv.window.out.area();
    const std::int64_t count = std::min(kPanel, area - first);
    double* const panel = doubles((depth() + conv.group_out()) * kPanel);
    double* const sums = panel + depth() * kPanel;
    for (std::int64_t c = 0; c < conv.group_in(); ++c) {
      const std::int64_t channel = image * conv.in_channels + group * conv.group_in() + c;
      copy_windows(args.input<T>(0) + channel * conv.window.in.area(), first, count,
                   panel + c * conv.window.kernel.area() * kPanel);
    }
    DoublePanel{.m = conv.group_out(), .k = depth(), .a_row = depth(), .c_row = kPanel}.run(
        w + group * conv.group_out() * depth(), panel, sums);
    for (std::int64_t o = 0; o < conv.group_out(); ++o) {
      const std::int64_t out = group * conv.group_out() + o;
      const double b = bias ? static_cast<double>(args.input<T>(2)[out]) : 0;
      T* const y = args.output<T>() + (image * conv.out_channels + out) * area + first;
      for (std::int64_t p = 0; p < count; ++p) y[p] = static_cast<T>(sums[o * kPanel + p] + b);
    }
  }

  void run(const KernelArgs& args, int threads) const {
    const T* const given = args.input<T>(1);
    const std::int64_t weights = conv.out_channels * depth();
    double* const w = doubles(weights, ScratchFor::Call);
    for (std::int64_t i = 0; i < weights; ++i) w[i] = static_cast<double>(given[i]);
    parallel_for(threads, conv.batch * conv.groups * panels(),
                 [&](std::int64_t number) { task(number, args, w); });
  }
};

template <class T>
Kernel wide_conv(const KernelCall& call) {
  const WideConv<T> conv{ops::conv_shape(call, call.shape(0), call.shape(1)).value(),
                         call.flag("bias")};
  return [conv](const KernelArgs& args, const RunContext& context) {
    if (conv.conv.batch * conv.conv.out_channels * conv.conv.window.out.area() > 0)
      conv.run(args, context.threads);
  };
}

Kernel make_conv(const KernelCall& call) {
  if (all_of(call, DType::F64)) return wide_conv<double>(call);
  return all_float(call) ? wide_conv<float>(call) : Kernel();
}

Shape leading(const Shape& matrix) {
  return {matrix.begin(), matrix.end() - 2};
}

/// a [.., m, k] times b [.., k, n], leading dimensions broadcast.
Kernel make_matmul(const KernelCall& call) {
  if (!all_of(call, DType::F64)) return {};
  Shape a = call.shape(0);
  Shape b = call.shape(1);
  if (a.size() == 1) a.insert(a.begin(), 1);  // a vector is one row on the left,
  if (b.size() == 1) b.push_back(1);          // one column on the right
  const std::int64_t m = a[a.size() - 2];
  const std::int64_t k = a.back();
  const std::int64_t n = b.back();
  const Shape batch = ops::broadcast(leading(a), leading(b)).value();
  const std::int64_t panels = (n + kPanel - 1) / kPanel;
  const std::int64_t tasks = numel(batch) * m == 0 ? 0 : numel(batch) * panels;
  const Loops loops =
      merge_loops(batch, {broadcast_steps(leading(a), batch), broadcast_steps(leading(b), batch)});
  return [=](const KernelArgs& args, const RunContext& context) {
    parallel_for(context.threads, tasks, [&](std::int64_t task) {
      const std::int64_t i = task / panels;
      const std::int64_t first = task % panels * kPanel;
      const std::int64_t count = std::min(kPanel, n - first);
      double* const panel = doubles((k + m) * kPanel);
      double* const sums = panel + k * kPanel;
      const double* from =
          args.input<double>(1) + loops.offset(1, loops.depth(), i) * k * n + first;
      for (std::int64_t j = 0; j < k; ++j, from += n) {
        std::copy(from, from + count, panel + j * kPanel);
        std::fill(panel + j * kPanel + count, panel + (j + 1) * kPanel, 0.0);
      }
      DoublePanel{.m = m, .k = k, .a_row = k, .c_row = kPanel}.run(
          args.input<double>(0) + loops.offset(0, loops.depth(), i) * m * k, panel, sums);
      double* const y = args.output<double>() + i * m * n + first;
      for (std::int64_t r = 0; r < m; ++r)
        std::copy(sums + r * kPanel, sums + r * kPanel + count, y + r * n);
    });
  };
}

}  // namespace

std::vector<KernelDef> wide_products() {
  std::vector<KernelDef> defs = {{"matmul", make_matmul}, {"bmm", make_matmul}};
  for (const char* op : {"conv1d", "conv2d", "conv3d"}) defs.push_back({op, make_conv});
  return defs;
}

}  // namespace chop::runtime::kernels
