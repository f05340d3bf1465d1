// max_pool1d, max_pool2d and their gradient. As in the reference, the first maximum of a
// window counts, and NaN is larger than everything. Dense images are pooled plane by plane
// (max_pool_planes.hpp); channels last, vectors run over the channels.
#include "runtime/elementwise.hpp"
#include "runtime/kernel.hpp"
#include "runtime/kernels/loops/max_pool_planes.hpp"

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

/// Calls work(plane) for every image, several to a task when they are small.
template <class Work>
void each_plane(const PoolPlanes& pool, int threads, Work work) {
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
