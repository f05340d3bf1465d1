// Convolutions for training, and their gradients, sub-batch by sub-batch.
//
// Forward and the gradient to the input: each sub-batch is a task, which reorders its images,
// convolves and reorders back; weights are reordered once. The gradient to the weights is a sum
// over images: each sub-batch makes a partial sum, and these are added in their order, some of them
// by the task that makes them.
//
// For example 32 to 64 channels, 3 x 3, on 16 x 16 images are 4.7 million multiply-accumulates to
// an image, which is worth a task: a batch of 256 has 256 tasks forward, and 16 partial sums.
#include "runtime/conv/train/train_conv.hpp"

#include "runtime/conv/train/conv_primitive.hpp"
#include "runtime/elementwise.hpp"
#include "runtime/scratch.hpp"
#include "support/system/threads.hpp"

namespace chop::runtime {
namespace {

using Conv = ops::ConvShape;

/// Multiply-accumulates that make a sub-batch worth a task of its own.
constexpr std::int64_t kTaskWork = std::int64_t{1} << 22;
/// Floats of input and output together that a sub-batch may have, to stay in the cache.
constexpr std::int64_t kTaskFloats = std::int64_t{1} << 18;

/// How a batch is cut: `count` sub-batches of `size` images, the last one perhaps smaller.
struct SubBatches {
  std::int64_t size, count, last;

  SubBatches(std::int64_t batch, std::int64_t each)
      : size(each), count((batch + each - 1) / each), last(batch - (count - 1) * each) {}
};

std::int64_t x_floats(const Conv& c) {
  return c.in_channels * c.window.in.area();
}
std::int64_t y_floats(const Conv& c) {
  return c.out_channels * c.window.out.area();
}

SubBatches split_by_work(const Conv& c) {
  const std::int64_t images = std::max<std::int64_t>(1, c.batch);
  const std::int64_t work = std::max<std::int64_t>(1, c.macs() / images);
  const std::int64_t floats = std::max<std::int64_t>(1, x_floats(c) + y_floats(c));
  const std::int64_t size = std::min(kTaskWork / work, kTaskFloats / floats);
  return {c.batch, std::clamp<std::int64_t>(size, 1, images)};
}

/// How the images are cut for a sum over them: `by_task` sub-batches, one after the other, are a
/// task.
struct SumParts {
  SubBatches batches;
  std::int64_t by_task;

  std::int64_t tasks() const { return (batches.count + by_task - 1) / by_task; }
};

/// A sub-batch cut again, into as few parts as have at most kSumPositions positions each: one call
/// of oneDNN adds them up in floats, so the fewer the more digits.
std::int64_t parts_of_sum(const Conv& c, std::int64_t images) {
  constexpr std::int64_t kSumPositions = std::int64_t{1} << 13;
  const std::int64_t area = std::max<std::int64_t>(1, c.window.out.area());
  const std::int64_t most = std::max<std::int64_t>(1, kSumPositions / area);
  return (images + most - 1) / most;
}

/// Few enough partial sums that adding them up stays cheap beside making them.
SumParts split_for_sums(const Conv& c) {
  const std::int64_t weights = c.out_channels * c.group_in() * c.window.kernel.area();
  const std::int64_t most = weights > (1 << 20) ? 4 : weights > (1 << 16) ? 8 : 16;
  const std::int64_t parts = std::clamp<std::int64_t>(c.macs() / kTaskWork, 1, most);
  const std::int64_t images = std::max<std::int64_t>(1, (c.batch + parts - 1) / parts);
  const std::int64_t by_task = parts_of_sum(c, images);
  return {{c.batch, (images + by_task - 1) / by_task}, by_task};
}

/// A primitive for the sub-batches of full size, one for the last.
struct Primitives {
  SubBatches batches;
  ConvPrimitive full, last;

  const ConvPrimitive& operator[](std::int64_t task) const {
    return task + 1 == batches.count ? last : full;
  }
};

/// null when oneDNN refuses. `make` takes a number of images and the weights' layout.
template <class Make>
std::shared_ptr<const Primitives> make_primitives(const Conv& conv, const SubBatches& batches,
                                                  Make make) {
  if (conv.batch == 0 || x_floats(conv) == 0 || y_floats(conv) == 0) return nullptr;
  MadePrimitive full = make(batches.size, nullptr);
  if (!full) return nullptr;
  const bool is_result = full->c_role == DNNL_ARG_DIFF_WEIGHTS;
  const dnnl::memory::desc weights = is_result ? full->c.preferred : full->b.preferred;
  MadePrimitive last = make(batches.last, &weights);
  if (!last) return nullptr;
  return std::make_shared<const Primitives>(
      Primitives{batches, std::move(*full), std::move(*last)});
}

/// Images, `floats` numbers each.
template <class T>
struct Images {
  T* data;
  std::int64_t floats;

  T* at(std::int64_t image) const { return data + image * floats; }
};

/// c = a convolved with `weights`, plus `bias` unless it is null.
void run_images(const Primitives& primitives, const Images<const float>& a, const float* weights,
                const float* bias, const Images<float>& c, int threads) {
  const Reordered& packing = primitives.full.b;
  const void* ready = weights;
  if (packing.needed()) {
    std::byte* const memory = thread_scratch(packing.bytes(), ScratchFor::Call);
    packing.run(weights, memory, thread_scratch(packing.scratchpad.get_size()));
    ready = memory;
  }
  parallel_for(threads, primitives.batches.count, [&](std::int64_t task) {
    const ConvPrimitive& conv = primitives[task];
    const std::int64_t first = task * primitives.batches.size;
    std::byte* const own_a = thread_scratch(conv.a.bytes() + conv.c.bytes() + conv.scratch_bytes());
    std::byte* const own_c = own_a + conv.a.bytes();
    std::byte* const scratch = own_c + conv.c.bytes();
    const void* from = a.at(first);
    if (conv.a.needed()) {
      conv.a.run(from, own_a, scratch);
      from = own_a;
    }
    float* const to = c.at(first);
    conv.run(from, ready, bias, conv.c.needed() ? static_cast<void*>(own_c) : to, scratch);
    if (conv.c.needed()) conv.c.run(own_c, to, scratch);
  });
}

/// The partial sum of one sub-batch, in the layout the primitive prefers.
void run_partial(const ConvPrimitive& conv, const float* dy, const float* x, void* sum,
                 std::byte* own_dy) {
  std::byte* const own_x = own_dy + conv.a.bytes();
  std::byte* const scratch = own_x + conv.b.bytes();
  if (conv.a.needed()) conv.a.run(dy, own_dy, scratch);
  if (conv.b.needed()) conv.b.run(x, own_x, scratch);
  conv.run(conv.a.needed() ? static_cast<const void*>(own_dy) : dy,
           conv.b.needed() ? static_cast<const void*>(own_x) : x, nullptr, sum, scratch);
}

/// total[i] = parts[0][i] + parts[1][i] + ... in this order; `total` may be the first part.
void add_parts(const float* parts, std::int64_t stride, std::int64_t count, float* total,
               std::int64_t length, int threads) {
  in_chunks(threads, length, [&](std::int64_t first, std::int64_t chunk) {
    constexpr std::int64_t kStretch = 2048;  // stays in the first cache over all parts
    for (std::int64_t at = first; at < first + chunk; at += kStretch) {
      const std::int64_t end = std::min(at + kStretch, first + chunk);
      if (total != parts) std::copy(parts + at, parts + end, total + at);
      for (std::int64_t part = 1; part < count; ++part)
        for (std::int64_t i = at; i < end; ++i) total[i] += parts[part * stride + i];
    }
  });
}

}  // namespace

ConvForward conv_forward(const Conv& shape, bool bias) {
  const auto primitives = make_primitives(
      shape, split_by_work(shape),
      [&](auto images, auto weights) { return forward_primitive(shape, images, bias, weights); });
  if (primitives == nullptr) return {};
  return [primitives, x_size = x_floats(shape), y_size = y_floats(shape)](
             const float* x, const float* w, const float* b, float* y, int threads) {
    run_images(*primitives, {x, x_size}, w, b, {y, y_size}, threads);
  };
}

ConvToInput conv_to_input(const Conv& shape) {
  const auto primitives = make_primitives(
      shape, split_by_work(shape),
      [&](auto images, auto weights) { return to_input_primitive(shape, images, weights); });
  if (primitives == nullptr) return {};
  return [primitives, x_size = x_floats(shape), y_size = y_floats(shape)](
             const float* dy, const float* w, float* dx, int threads) {
    run_images(*primitives, {dy, y_size}, w, nullptr, {dx, x_size}, threads);
  };
}

ConvToWeight conv_to_weight(const Conv& shape) {
  const SumParts cut = split_for_sums(shape);
  const auto primitives = make_primitives(shape, cut.batches, [&](auto images, auto weights) {
    return to_weight_primitive(shape, images, weights);
  });
  if (primitives == nullptr) return {};
  return [primitives, cut, x_size = x_floats(shape), y_size = y_floats(shape)](
             const float* dy, const float* x, float* dw, int threads) {
    const Reordered& result = primitives->full.c;
    const auto floats = static_cast<std::int64_t>(result.preferred.get_size() / sizeof(float));
    const std::int64_t stride = (floats + 15) / 16 * 16;
    const bool direct = cut.tasks() == 1 && !result.needed();
    const auto bytes = static_cast<std::size_t>(stride) * sizeof(float);
    auto* parts = direct ? dw
                         : reinterpret_cast<float*>(thread_scratch(
                               bytes * static_cast<std::size_t>(cut.tasks()), ScratchFor::Call));
    parallel_for(threads, cut.tasks(), [&](std::int64_t task) {
      float* const sum = parts + task * stride;
      const std::int64_t begin = task * cut.by_task;
      for (std::int64_t i = begin; i < std::min(begin + cut.by_task, cut.batches.count); ++i) {
        const ConvPrimitive& conv = (*primitives)[i];
        std::byte* const own =
            thread_scratch(bytes + conv.a.bytes() + conv.b.bytes() + conv.scratch_bytes());
        auto* const next = i == begin ? sum : reinterpret_cast<float*>(own);
        const std::int64_t first = i * cut.batches.size;
        run_partial(conv, dy + first * y_size, x + first * x_size, next, own + bytes);
        for (std::int64_t k = 0; i > begin && k < floats; ++k) sum[k] += next[k];
      }
    });
    if (direct) return;
    add_parts(parts, stride, cut.tasks(), result.needed() ? parts : dw, floats, threads);
    if (result.needed()) result.run(parts, dw, thread_scratch(result.scratchpad.get_size()));
  };
}

}  // namespace chop::runtime
