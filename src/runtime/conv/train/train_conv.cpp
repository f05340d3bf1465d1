// Convolutions for training, and their gradients, sub-batch by sub-batch.
//
// Forward and the gradient to the input: each sub-batch is a task, which reorders its images,
// convolves and reorders back; weights are reordered once. The gradient to the weights is a sum
// over images and positions, made of parts (sum_parts.hpp): each task adds up some of them in
// double, and the sums of tasks are added in their order.
//
// For example 32 to 64 channels, 3 x 3, on 16 x 16 images are 4.7 million multiply-accumulates to
// an image, which is worth a task: a batch of 256 has 256 tasks forward, and 16 sums.
#include "runtime/conv/train/train_conv.hpp"

#include "runtime/conv/train/long_sums.hpp"
#include "runtime/conv/train/sum_parts.hpp"
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
  MadePrimitive last = make(batches.last, &full->b.preferred);
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

/// The sum of one part, in the layout the primitive prefers.
void run_partial(const ConvPrimitive& conv, const float* dy, const float* x, void* sum,
                 std::byte* own_dy) {
  std::byte* const own_x = own_dy + conv.a.bytes();
  std::byte* const scratch = own_x + conv.b.bytes();
  if (conv.a.needed()) conv.a.run(dy, own_dy, scratch);
  if (conv.b.needed()) conv.b.run(x, own_x, scratch);
  conv.run(conv.a.needed() ? static_cast<const void*>(own_dy) : dy,
           conv.b.needed() ? static_cast<const void*>(own_x) : x, nullptr, sum, scratch);
}

/// sum = the parts of one task, added in double.
void run_sum(const SumParts& cut, std::int64_t task, const Images<const float>& dy,
             const Images<const float>& x, std::span<float> sum) {
  const std::int64_t begin = task * cut.by_task;
  const std::int64_t end = std::min(begin + cut.by_task, cut.count());
  const std::size_t room = end - begin == 1 ? 0 : (sum.size() + 15) / 16 * 16;
  auto* const total = reinterpret_cast<double*>(
      thread_scratch(room * (sizeof(double) + sizeof(float)) + cut.part_bytes));
  auto* const next = reinterpret_cast<float*>(total + room);
  for (std::int64_t i = begin; i < end; ++i) {
    const SumPart& part = cut.parts[static_cast<std::size_t>(i)];
    run_partial(cut.primitives[part.primitive], dy.at(part.image) + part.y,
                x.at(part.image) + part.x, room == 0 ? sum.data() : next,
                reinterpret_cast<std::byte*>(next + room));
    if (room == 0) return;
    for (std::size_t k = 0; k < sum.size(); ++k)
      total[k] = (i == begin ? 0.0 : total[k]) + static_cast<double>(next[k]);
    if (i + 1 < end) continue;
    for (std::size_t k = 0; k < sum.size(); ++k) sum[k] = static_cast<float>(total[k]);
  }
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
  if (ConvToInput in_double = long_conv_to_input(shape)) return in_double;
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
  const std::shared_ptr<const SumParts> cut = cut_weight_sum(shape);
  if (cut == nullptr) return {};
  return [cut, x_size = x_floats(shape), y_size = y_floats(shape)](const float* dy, const float* x,
                                                                   float* dw, int threads) {
    const Reordered& result = cut->primitives.front().c;
    const auto floats = static_cast<std::int64_t>(result.preferred.get_size() / sizeof(float));
    const std::int64_t stride = (floats + 15) / 16 * 16;
    const bool direct = cut->tasks() == 1 && !result.needed();
    auto* sums = direct ? dw
                        : reinterpret_cast<float*>(thread_scratch(
                              static_cast<std::size_t>(stride * cut->tasks()) * sizeof(float),
                              ScratchFor::Call));
    parallel_for(threads, cut->tasks(), [&](std::int64_t task) {
      run_sum(*cut, task, {dy, y_size}, {x, x_size},
              {sums + task * stride, static_cast<std::size_t>(floats)});
    });
    if (direct) return;
    add_parts(sums, stride, cut->tasks(), result.needed() ? sums : dw, floats, threads);
    if (result.needed()) result.run(sums, dw, thread_scratch(result.scratchpad.get_size()));
  };
}

}  // namespace chop::runtime
