// max_pool1d, max_pool2d and their gradient. As in the reference, the first maximum of a
// window counts, and NaN is larger than everything.
//
// A whole row of positions is done at once, tap after tap, so that neighbouring positions do not
// wait for each other.
#include "ops/families/layers/pool.hpp"
#include "runtime/elementwise.hpp"
#include "runtime/kernel.hpp"
#include "runtime/scratch.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "runtime/kernels/max_pool.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
//
#include "runtime/simd_math-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace chop::runtime::kernels::HWY_NAMESPACE {
using namespace chop::runtime::simd::HWY_NAMESPACE;
namespace {

/// Calls tap(offset) for every tap of position (oh, ow) that lies in the image: its first element.
template <class Tap>
HWY_INLINE void each_inside(const ops::Window& w, std::int64_t channels, std::int64_t oh,
                            std::int64_t ow, Tap tap) {
  for (std::int64_t kh = 0; kh < w.kernel.h; ++kh) {
    const std::int64_t ih = w.row(oh, kh);
    if (ih < 0 || ih >= w.in.h) continue;
    for (std::int64_t kw = 0; kw < w.kernel.w; ++kw) {
      const std::int64_t iw = w.column(ow, kw);
      if (iw >= 0 && iw < w.in.w) tap((ih * w.in.w + iw) * channels);
    }
  }
}

/// kVectors vectors of channels of one position over all taps; the last vector is cut by `mask`.
template <int kVectors>
HWY_INLINE void pool_position(const ops::Window& w, std::int64_t channels, const float* x,
                              std::int64_t oh, std::int64_t ow, M mask, float* y) {
  const std::int64_t lanes = lane_count();
  V best[kVectors];
  for (V& v : best) v = set(-std::numeric_limits<float>::infinity());
  each_inside(w, channels, oh, ow, [&](std::int64_t at) HWY_ATTR {
    for (int i = 0; i < kVectors; ++i) {
      const float* from = x + at + i * lanes;
      const V next = i + 1 == kVectors ? hn::MaskedLoad(mask, kTag, from) : hn::LoadU(kTag, from);
      // Not Max: a NaN is larger than everything.
      best[i] = where(hn::Or(hn::Gt(next, best[i]), hn::IsNaN(next)), next, best[i]);
    }
  });
  for (int i = 0; i + 1 < kVectors; ++i) hn::StoreU(best[i], kTag, y + i * lanes);
  hn::BlendedStore(best[kVectors - 1], mask, kTag, y + (kVectors - 1) * lanes);
}

/// A row of positions of one image whose channels lie together: position after position, some
/// channels at a time over all taps.
void pool_row(const ops::Window& w, std::int64_t channels, const float* x, std::int64_t oh,
              float* y) {
  const std::int64_t lanes = lane_count();
  for (std::int64_t ow = 0; ow < w.out.w; ++ow, y += channels) {
    std::int64_t c = 0;
    for (; c + 4 * lanes <= channels; c += 4 * lanes)
      pool_position<4>(w, channels, x + c, oh, ow, first(lanes), y + c);
    for (; c < channels; c += lanes)
      pool_position<1>(w, channels, x + c, oh, ow, first(channels - c), y + c);
  }
}

/// The same on codes of one byte.
template <class Byte>
void pool_bytes(const ops::Window& w, std::int64_t channels, const Byte* x, std::int64_t oh,
                Byte* y) {
  const hn::ScalableTag<Byte> tag;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(tag));
  for (std::int64_t ow = 0; ow < w.out.w; ++ow, y += channels) {
    std::int64_t c = 0;
    for (; c + lanes <= channels; c += lanes) {
      auto best = hn::Set(tag, std::numeric_limits<Byte>::lowest());
      each_inside(w, channels, oh, ow, [&](std::int64_t at) HWY_ATTR {
        best = hn::Max(best, hn::LoadU(tag, x + at + c));
      });
      hn::StoreU(best, tag, y + c);
    }
    for (; c < channels; ++c) {
      y[c] = std::numeric_limits<Byte>::lowest();
      each_inside(w, channels, oh, ow, [&](std::int64_t at) { y[c] = std::max(y[c], x[at + c]); });
    }
  }
}
void pool_unsigned(const ops::Window& w, std::int64_t channels, const std::uint8_t* x,
                   std::int64_t oh, std::uint8_t* y) {
  pool_bytes(w, channels, x, oh, y);
}
void pool_signed(const ops::Window& w, std::int64_t channels, const std::int8_t* x, std::int64_t oh,
                 std::int8_t* y) {
  pool_bytes(w, channels, x, oh, y);
}

}  // namespace
}  // namespace chop::runtime::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace chop::runtime::kernels {
HWY_EXPORT(pool_row);
HWY_EXPORT(pool_unsigned);
HWY_EXPORT(pool_signed);
namespace {

/// The positions of a row for which one tap falls into the image: [first, last).
struct Range {
  std::int64_t first = 0, last = 0;
};

struct Pool {
  std::int64_t planes = 0;
  ops::Window window;
  std::vector<Range> columns;  ///< by tap along the width
};

/// Positions o in [0, out) with 0 <= o · stride + offset < in.
Range positions_inside(std::int64_t offset, std::int64_t stride, std::int64_t in,
                       std::int64_t out) {
  const std::int64_t first = offset >= 0 ? 0 : (-offset + stride - 1) / stride;
  const std::int64_t last = offset >= in ? 0 : (in - offset + stride - 1) / stride;
  return {std::min(first, out), std::clamp(last, std::min(first, out), out)};
}

std::shared_ptr<const Pool> pool_of(const ops::PoolShape& shape) {
  const ops::Window& w = shape.window;
  if (w.in.area() > std::numeric_limits<std::int32_t>::max()) return nullptr;
  Pool pool{shape.planes, w, {}};
  for (std::int64_t kw = 0; kw < w.kernel.w && pool.planes > 0; ++kw)
    pool.columns.push_back(positions_inside(w.column(0, kw), w.stride.w, w.in.w, w.out.w));
  return std::make_shared<const Pool>(std::move(pool));
}

/// One tap of a row of positions, `step` apart in x.
template <std::int64_t kStep>
void take_larger(const float* x, std::int64_t step, Range range, float* best) {
  if (kStep != 0) step = kStep;
  for (std::int64_t o = range.first; o < range.last; ++o) {
    const float next = x[o * step];
    best[o] = next > best[o] || next != next ? next : best[o];
  }
}

/// Likewise, and `index` follows: the tap of position o is element first + o · step. No index yet
/// is -1. Conditions are joined without branches, so that the loop becomes vectors.
template <std::int64_t kStep>
void take_index(const float* image, std::int64_t first, std::int64_t step, Range range, float* best,
                std::int32_t* index) {
  if (kStep != 0) step = kStep;
  const float* x = image + first;
  const auto start = static_cast<std::int32_t>(first);
  const auto apart = static_cast<std::int32_t>(step);
  const auto last = static_cast<std::int32_t>(range.last);
  for (auto o = static_cast<std::int32_t>(range.first); o < last; ++o) {
    const float next = x[o * step];
    const float old = best[o];
    const std::int32_t was = index[o];
    const bool better = (was < 0) | (next > old) | (next != next);
    best[o] = better ? next : old;
    index[o] = better ? start + o * apart : was;
  }
}

/// Calls tap(first, range) for every tap that row `oh` of positions has in the image; position o
/// of the range sees element first + o · stride.
template <class Tap>
void each_tap(const Pool& pool, std::int64_t oh, Tap tap) {
  const ops::Window& w = pool.window;
  for (std::int64_t kh = 0; kh < w.kernel.h; ++kh) {
    const std::int64_t ih = w.row(oh, kh);
    if (ih < 0 || ih >= w.in.h) continue;
    for (std::int64_t kw = 0; kw < w.kernel.w; ++kw)
      tap(ih * w.in.w + w.column(0, kw), pool.columns[static_cast<std::size_t>(kw)]);
  }
}

void pool_plane(const Pool& pool, const float* x, float* y) {
  const ops::Window& w = pool.window;
  for (std::int64_t oh = 0; oh < w.out.h; ++oh, y += w.out.w) {
    std::fill(y, y + w.out.w, -std::numeric_limits<float>::infinity());
    each_tap(pool, oh, [&](std::int64_t first, Range range) {
      if (w.stride.w == 1) return take_larger<1>(x + first, 1, range, y);
      if (w.stride.w == 2) return take_larger<2>(x + first, 2, range, y);
      take_larger<0>(x + first, w.stride.w, range, y);
    });
  }
}

void grad_plane(const Pool& pool, const float* dy, const float* x, float* dx) {
  const ops::Window& w = pool.window;
  const auto width = static_cast<std::size_t>(w.out.w);
  std::byte* const memory = thread_scratch(width * (sizeof(float) + sizeof(std::int32_t)));
  auto* const best = reinterpret_cast<float*>(memory);
  auto* const index = reinterpret_cast<std::int32_t*>(memory + width * sizeof(float));
  std::fill(dx, dx + w.in.area(), 0.0F);
  for (std::int64_t oh = 0; oh < w.out.h; ++oh, dy += w.out.w) {
    std::fill(index, index + width, -1);
    std::fill(best, best + width, 0.0F);
    each_tap(pool, oh, [&](std::int64_t first, Range range) {
      if (w.stride.w == 1) return take_index<1>(x, first, 1, range, best, index);
      if (w.stride.w == 2) return take_index<2>(x, first, 2, range, best, index);
      take_index<0>(x, first, w.stride.w, range, best, index);
    });
    for (std::int64_t ow = 0; ow < w.out.w; ++ow)
      if (index[ow] >= 0) dx[index[ow]] += dy[ow];
  }
}

/// Calls work(plane) for every image, several to a task when they are small.
template <class Work>
void each_plane(const Pool& pool, int threads, Work work) {
  const std::int64_t block = std::max<std::int64_t>(1, kChunk / 4 / pool.window.in.area());
  parallel_for(threads, (pool.planes + block - 1) / block, [&](std::int64_t task) {
    const std::int64_t end = std::min(pool.planes, (task + 1) * block);
    for (std::int64_t plane = task * block; plane < end; ++plane) work(plane);
  });
}

/// Rows of positions of images whose channels lie together: pool(x of the image, row, y of the
/// row).
template <class T, class Pool>
Kernel channels_last(const ops::Window& w, std::int64_t batch, std::int64_t channels, Pool pool) {
  return [=](const KernelArgs& args, const RunContext& context) {
    const bool worth_it = batch * w.out.area() * channels > kChunk / 4;
    parallel_for(worth_it ? context.threads : 1, batch * w.out.h, [&](std::int64_t row) {
      pool(args.input<T>(0) + row / w.out.h * w.in.area() * channels, row % w.out.h,
           args.output<T>() + row * w.out.w * channels);
    });
  };
}

Kernel channels_last(const KernelCall& call, const ops::Window& w) {
  const std::int64_t batch = call.shape(0)[0];
  const std::int64_t channels = call.shape(0)[1];
  const auto with = [&](auto dispatch, auto zero) {
    using T = decltype(zero);
    return channels_last<T>(w, batch, channels, [=](const T* x, std::int64_t oh, T* y) {
      dispatch(w, channels, x, oh, y);
    });
  };
  switch (call.in[0].dtype) {
    case DType::F32:
      return with([](auto... a) { HWY_DYNAMIC_DISPATCH(pool_row)(a...); }, float{});
    case DType::U8:
      return with([](auto... a) { HWY_DYNAMIC_DISPATCH(pool_unsigned)(a...); }, std::uint8_t{});
    default:
      return with([](auto... a) { HWY_DYNAMIC_DISPATCH(pool_signed)(a...); }, std::int8_t{});
  }
}

template <std::size_t kDims>
Kernel make_pool(const KernelCall& call) {
  if (call.layout == Layout::ChannelsLast)
    return channels_last(call, ops::pool_shape(call, call.shape(0), kDims).value().window);
  if (call.in[0].dtype != DType::F32) return {};
  const auto pool = pool_of(ops::pool_shape(call, call.shape(0), kDims).value());
  if (pool == nullptr) return {};
  return [pool](const KernelArgs& args, const RunContext& context) {
    const ops::Window& w = pool->window;
    each_plane(*pool, context.threads, [&](std::int64_t plane) {
      pool_plane(*pool, args.input(0) + plane * w.in.area(), args.output() + plane * w.out.area());
    });
  };
}

/// Whether every window sees some of the image; one that does not gives -infinity.
bool sees_something(const KernelCall& call) {
  const auto all = [&](const char* attr, std::int64_t value) {
    const Ints& list = call.ints(attr);
    return std::all_of(list.begin(), list.end(), [&](std::int64_t at) { return at == value; });
  };
  return all("padding", 0) || all("dilation", 1);
}

Kernel make_grad(const KernelCall& call) {
  if (call.in[0].dtype != DType::F32 || call.ints("kernel_size").size() > 2) return {};
  const auto pool =
      pool_of(ops::pool_shape(call, call.shape(1), call.ints("kernel_size").size()).value());
  if (pool == nullptr) return {};
  return [pool](const KernelArgs& args, const RunContext& context) {
    const ops::Window& w = pool->window;
    each_plane(*pool, context.threads, [&](std::int64_t plane) {
      grad_plane(*pool, args.input(0) + plane * w.out.area(), args.input(1) + plane * w.in.area(),
                 args.output() + plane * w.in.area());
    });
  };
}

}  // namespace

std::vector<KernelDef> max_pool() {
  return {{.op = "max_pool1d",
           .make = make_pool<1>,
           .layouts = layouts_of_batches<1>,
           .keeps_range = sees_something,
           .selects_elements = sees_something},
          {.op = "max_pool2d",
           .make = make_pool<2>,
           .layouts = layouts_of_batches<2>,
           .keeps_range = sees_something,
           .selects_elements = sees_something},
          {"max_pool_grad", make_grad}};
}

}  // namespace chop::runtime::kernels
#endif
