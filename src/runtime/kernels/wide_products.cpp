// Convolutions and products in double: those of f64 tensors (sums of many products of 8-bit
// integers, from ConvInteger, MatMulInteger and QLinear operators), and convolutions of f32 that
// oneDNN does not do or whose sums are too long for floats.
//
// A convolution is a product with a matrix of copied windows (im2col), made for one panel of
// positions and some of the taps at a time:
//   y [oc, positions] += w [oc, taps] · windows [taps, positions].
#include "runtime/conv/window_taps.hpp"
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

double* doubles(std::int64_t count) {
  return reinterpret_cast<double*>(
      thread_scratch(static_cast<std::size_t>(count) * sizeof(double)));
}

/// Output channels whose weights are widened at a time.
constexpr std::int64_t kRows = 64;

template <class T>
struct WideConv {
  ops::ConvShape conv;
  bool bias = false;

  std::int64_t depth() const { return conv.group_in() * conv.window.kernel.area(); }
  std::int64_t panels() const { return (conv.window.out.area() + kPanel - 1) / kPanel; }

  /// sums [oc, kPanel] += the products with taps [first, first + taps) of a group's windows.
  void add(const T* w, std::int64_t first, std::int64_t taps, const double* panel,
           double* sums) const {
    double* const wide = sums + conv.group_out() * kPanel;
    double* const part = wide + kRows * kTaps;
    for (std::int64_t o = 0; o < conv.group_out(); o += kRows) {
      const std::int64_t rows = std::min(kRows, conv.group_out() - o);
      for (std::int64_t r = 0; r < rows; ++r)
        for (std::int64_t k = 0; k < taps; ++k)
          wide[r * taps + k] = static_cast<double>(w[(o + r) * depth() + first + k]);
      DoublePanel{.m = rows, .k = taps, .a_row = taps, .c_row = kPanel}.run(wide, panel, part);
      for (std::int64_t i = 0; i < rows * kPanel; ++i) sums[o * kPanel + i] += part[i];
    }
  }

  void task(std::int64_t number, const KernelArgs& args) const {
    const ops::Extent& in = conv.window.in;
    const std::int64_t first = number % panels() * kPanel;
    const std::int64_t group = number / panels() % conv.groups;
    const std::int64_t image = number / panels() / conv.groups;
    const std::int64_t area = conv.window.out.area();
    const std::int64_t count = std::min(kPanel, area - first);
    double* const panel = doubles((kTaps + conv.group_out()) * kPanel + kRows * (kTaps + kPanel));
    double* const sums = panel + kTaps * kPanel;
    std::fill_n(sums, conv.group_out() * kPanel, 0.0);
    const T* const x =
        args.input<T>(0) + (image * conv.in_channels + group * conv.group_in()) * in.area();
    for (std::int64_t k = 0; k < depth(); k += kTaps) {
      const std::int64_t taps = std::min(kTaps, depth() - k);
      std::fill_n(panel, taps * kPanel, 0.0);
      for_taps_inside(conv.window, {first, count}, list_taps(conv, k, taps), taps,
                      [&](std::int64_t p, std::int64_t tap, std::int64_t at) {
                        panel[tap * kPanel + p] = static_cast<double>(x[at]);
                      });
      add(args.input<T>(1) + group * conv.group_out() * depth(), k, taps, panel, sums);
    }
    for (std::int64_t o = 0; o < conv.group_out(); ++o) {
      const std::int64_t out = group * conv.group_out() + o;
      const double b = bias ? static_cast<double>(args.input<T>(2)[out]) : 0;
      T* const y = args.output<T>() + (image * conv.out_channels + out) * area + first;
      for (std::int64_t p = 0; p < count; ++p) y[p] = static_cast<T>(sums[o * kPanel + p] + b);
    }
  }

  void run(const KernelArgs& args, int threads) const {
    parallel_for(threads, conv.batch * conv.groups * panels(),
                 [&](std::int64_t number) { task(number, args); });
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
