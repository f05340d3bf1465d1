// avg_pool and adaptive_avg_pool in one and two dimensions, and their gradients: each output
// position averages, or shares out over, a patch of the image.
#include "ops/families/layers/pool.hpp"
#include "runtime/elementwise.hpp"
#include "runtime/kernel.hpp"

namespace chop::runtime::kernels {
namespace {

/// The patches of all positions of one plane, worked out once; none where there is no plane.
struct Patches {
  std::int64_t planes = 0, in_width = 0, in_area = 0;
  std::vector<ops::Patch> positions;
};

template <class PatchAt>
Patches patches_of(const ops::PoolShape& pool, PatchAt patch_at) {
  Patches patches{pool.planes, pool.window.in.w, pool.window.in.area(), {}};
  if (pool.planes == 0) return patches;
  for (std::int64_t oh = 0; oh < pool.window.out.h; ++oh)
    for (std::int64_t ow = 0; ow < pool.window.out.w; ++ow)
      patches.positions.push_back(patch_at(oh, ow));
  return patches;
}

Patches average_patches(const Call& call, const Shape& x, std::size_t dims) {
  const ops::PoolShape pool = ops::pool_shape(call, x, dims).value();
  const bool include_pad = call.flag("count_include_pad");
  return patches_of(pool, [&](std::int64_t oh, std::int64_t ow) {
    return ops::average_patch(pool.window, include_pad, /*od=*/0, oh, ow);
  });
}

Patches adaptive_patches(const Call& call, const Shape& x, std::size_t dims) {
  const ops::PoolShape pool = ops::adaptive_shape(call, x, dims).value();
  return patches_of(pool, [&](std::int64_t oh, std::int64_t ow) {
    return ops::adaptive_patch(pool.window, /*od=*/0, oh, ow);
  });
}

/// Calls work(plane) for every image, several to a task when they are small.
template <class Work>
void each_plane(const Patches& patches, int threads, Work work) {
  const std::int64_t area = std::max<std::int64_t>(1, patches.in_area);
  const std::int64_t block = std::max<std::int64_t>(1, kChunk / area);
  parallel_for(threads, (patches.planes + block - 1) / block, [&](std::int64_t task) {
    for (std::int64_t p = task * block; p < std::min(patches.planes, (task + 1) * block); ++p)
      work(p);
  });
}

/// The positions of one image whose channels lie together, some of them at a time.
void average_together(const Patches& patches, std::int64_t channels, const float* x, float* y) {
  constexpr std::int64_t kWidth = 64;
  for (const ops::Patch& patch : patches.positions) {
    for (std::int64_t first = 0; first < channels; first += kWidth) {
      const std::int64_t width = std::min(kWidth, channels - first);
      double sums[kWidth] = {};
      for (std::int64_t ih = patch.top; ih < patch.bottom; ++ih)
        for (std::int64_t iw = patch.left; iw < patch.right; ++iw) {
          const float* from = x + (ih * patches.in_width + iw) * channels + first;
          for (std::int64_t c = 0; c < width; ++c) sums[c] += static_cast<double>(from[c]);
        }
      for (std::int64_t c = 0; c < width; ++c)
        y[first + c] = static_cast<float>(sums[c] / static_cast<double>(patch.divisor));
    }
    y += channels;
  }
}

Kernel channels_last(Patches patches, std::int64_t batch, std::int64_t channels) {
  return [=, patches = std::move(patches)](const KernelArgs& args, const RunContext& context) {
    const std::int64_t image = patches.in_area * channels;
    const auto positions = static_cast<std::int64_t>(patches.positions.size());
    parallel_for(batch * image > kChunk ? context.threads : 1, batch, [&](std::int64_t n) {
      average_together(patches, channels, args.input(0) + n * image,
                       args.output() + n * positions * channels);
    });
  };
}

Kernel average(const KernelCall& call, Patches patches) {
  if (call.layout == Layout::ChannelsLast)
    return channels_last(std::move(patches), call.shape(0)[0], call.shape(0)[1]);
  return [patches = std::move(patches)](const KernelArgs& args, const RunContext& context) {
    each_plane(patches, context.threads, [&](std::int64_t plane) {
      const float* x = args.input(0) + plane * patches.in_area;
      float* y = args.output() + plane * static_cast<std::int64_t>(patches.positions.size());
      for (const ops::Patch& patch : patches.positions) {
        double sum = 0;
        for (std::int64_t ih = patch.top; ih < patch.bottom; ++ih)
          for (std::int64_t iw = patch.left; iw < patch.right; ++iw)
            sum += static_cast<double>(x[ih * patches.in_width + iw]);
        *y++ = static_cast<float>(sum / static_cast<double>(patch.divisor));
      }
    });
  };
}

Kernel share_out(Patches patches) {
  return [patches = std::move(patches)](const KernelArgs& args, const RunContext& context) {
    each_plane(patches, context.threads, [&](std::int64_t plane) {
      const float* dy = args.input(0) + plane * static_cast<std::int64_t>(patches.positions.size());
      float* dx = args.output() + plane * patches.in_area;
      std::fill(dx, dx + patches.in_area, 0.0F);
      for (const ops::Patch& patch : patches.positions) {
        const float share = *dy++ / static_cast<float>(patch.divisor);
        for (std::int64_t ih = patch.top; ih < patch.bottom; ++ih)
          for (std::int64_t iw = patch.left; iw < patch.right; ++iw)
            dx[ih * patches.in_width + iw] += share;
      }
    });
  };
}

template <std::size_t kDims>
Kernel make_average(const KernelCall& call) {
  if (call.in[0].dtype != DType::F32) return {};
  return average(call, average_patches(call, call.shape(0), kDims));
}

template <std::size_t kDims>
Kernel make_adaptive(const KernelCall& call) {
  if (call.in[0].dtype != DType::F32) return {};
  return average(call, adaptive_patches(call, call.shape(0), kDims));
}

Kernel make_average_grad(const KernelCall& call) {
  if (call.in[0].dtype != DType::F32 || call.ints("kernel_size").size() > 2) return {};
  return share_out(
      average_patches(call, call.ints("input_shape"), call.ints("kernel_size").size()));
}

Kernel make_adaptive_grad(const KernelCall& call) {
  if (call.in[0].dtype != DType::F32 || call.ints("output_size").size() > 2) return {};
  return share_out(
      adaptive_patches(call, call.ints("input_shape"), call.ints("output_size").size()));
}

}  // namespace

std::vector<KernelDef> avg_pool() {
  return {{"avg_pool1d", make_average<1>, layouts_of_batches<1>},
          {"avg_pool2d", make_average<2>, layouts_of_batches<2>},
          {"avg_pool_grad", make_average_grad},
          {"adaptive_avg_pool1d", make_adaptive<1>, layouts_of_batches<1>, always},
          {"adaptive_avg_pool2d", make_adaptive<2>, layouts_of_batches<2>, always},
          {"adaptive_avg_pool_grad", make_adaptive_grad}};
}

}  // namespace chop::runtime::kernels
