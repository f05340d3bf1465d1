// Towards the input: matrix products of a block of positions with a block of taps. The products of
// a tap with 512 output channels are added up in floats, all else in double, in a fixed order.
#include "runtime/conv/train/long_sums.hpp"

#include "runtime/conv/window_taps.hpp"
#include "runtime/gemm/gemm.hpp"
#include "runtime/scratch.hpp"
#include "support/system/threads.hpp"

namespace chop::runtime {
namespace {

using Conv = ops::ConvShape;

/// The most products that one sum in floats may have: up to there its error stays below 1e-6.
constexpr std::int64_t kLongSum = std::int64_t{1} << 13;
/// Output channels that are added up in floats.
constexpr std::int64_t kChunk = 512;
/// Positions and taps of a block: products of so many numbers are our own kernel's, so the bits
/// are those of every processor.
constexpr std::int64_t kRows = 64;
constexpr std::int64_t kColumns = 128;
/// Input channels of a task.
constexpr std::int64_t kChannels = 16;

/// The gradient to channels [first, first + channels) of a group of an image.
struct InputBlock {
  std::int64_t image, group, first, channels;

  void run(const Conv& conv, const float* dy, const float* w, float* dx) const {
    const ops::Window& window = conv.window;
    const std::int64_t area = window.out.area();
    const std::int64_t length = conv.group_in() * window.kernel.area();
    const std::int64_t begin = first * window.kernel.area();
    const std::int64_t taps = channels * window.kernel.area();
    const std::int64_t count = channels * window.in.area();
    Gemm product{.m = kRows, .n = kColumns, .k = kChunk, .a_row = 1, .a_col = area};
    product.b_row = length;
    auto* const total = reinterpret_cast<double*>(
        thread_scratch(static_cast<std::size_t>(count) * sizeof(double) +
                       (kRows * kColumns + product.scratch()) * sizeof(float)));
    auto* const sums = reinterpret_cast<float*>(total + count);
    std::fill_n(total, count, 0.0);
    for (std::int64_t tap = 0; tap < taps; tap += kColumns) {
      product.n = product.c_row = std::min(kColumns, taps - tap);
      const Taps listed = list_taps(conv, tap, product.n);
      for (std::int64_t at = 0; at < area; at += kRows) {
        product.m = std::min(kRows, area - at);
        for (std::int64_t o = 0; o < conv.group_out(); o += kChunk) {
          product.k = std::min(kChunk, conv.group_out() - o);
          const std::int64_t channel = group * conv.group_out() + o;
          product.run(dy + (image * conv.out_channels + channel) * area + at,
                      w + channel * length + begin + tap, nullptr, sums, sums + kRows * kColumns,
                      1);
          for_taps_inside(window, {at, product.m}, listed, product.n, [&](auto p, auto k, auto to) {
            total[to] += static_cast<double>(sums[p * product.n + k]);
          });
        }
      }
    }
    float* const to =
        dx + (image * conv.in_channels + group * conv.group_in() + first) * window.in.area();
    for (std::int64_t i = 0; i < count; ++i) to[i] = static_cast<float>(total[i]);
  }
};

}  // namespace

bool has_long_windows(const Conv& conv) {
  return conv.group_in() * conv.window.kernel.area() > kLongSum;
}

ConvToInput long_conv_to_input(const Conv& conv) {
  const std::int64_t readers = std::min(conv.window.kernel.area(), conv.window.out.area());
  if (conv.group_out() * readers <= kLongSum) return {};
  return [conv](const float* dy, const float* w, float* dx, int threads) {
    const std::int64_t blocks = (conv.group_in() + kChannels - 1) / kChannels;
    parallel_for(threads, conv.batch * conv.groups * blocks, [&](std::int64_t task) {
      const std::int64_t outer = task / blocks;
      const std::int64_t first = task % blocks * kChannels;
      InputBlock{outer / conv.groups, outer % conv.groups, first,
                 std::min(kChannels, conv.group_in() - first)}
          .run(conv, dy, w, dx);
    });
  };
}

}  // namespace chop::runtime
