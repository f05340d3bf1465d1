#include "runtime/conv/train/convolution.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "runtime/conv/train/convolution_piece.hpp"
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
struct Cut {
  std::int64_t size, count, last;

  Cut(std::int64_t batch, std::int64_t each)
      : size(each), count((batch + each - 1) / each), last(batch - (count - 1) * each) {}
};

std::int64_t x_floats(const Conv& c) {
  return c.in_channels * c.window.in.area();
}
std::int64_t y_floats(const Conv& c) {
  return c.out_channels * c.window.out.area();
}

Cut cut_by_work(const Conv& c) {
  const std::int64_t images = std::max<std::int64_t>(1, c.batch);
  const std::int64_t work = std::max<std::int64_t>(1, c.macs() / images);
  const std::int64_t floats = std::max<std::int64_t>(1, x_floats(c) + y_floats(c));
  const std::int64_t size = std::min(kTaskWork / work, kTaskFloats / floats);
  return {c.batch, std::clamp<std::int64_t>(size, 1, images)};
}

/// Few enough partial sums that adding them up stays cheap beside making them.
Cut cut_for_sums(const Conv& c) {
  const std::int64_t weights = c.out_channels * c.group_in() * c.window.kernel.area();
  const std::int64_t most = weights > (1 << 20) ? 4 : weights > (1 << 16) ? 8 : 16;
  const std::int64_t parts = std::clamp<std::int64_t>(c.macs() / kTaskWork, 1, most);
  return {c.batch, std::max<std::int64_t>(1, (c.batch + parts - 1) / parts)};
}

/// One piece for the sub-batches of full size, one for the last.
struct Pieces {
  Cut cut;
  ConvPiece whole, last;

  const ConvPiece& operator[](std::int64_t task) const {
    return task + 1 == cut.count ? last : whole;
  }
};

/// null when oneDNN refuses. `make` takes a number of images and the weights' layout.
template <class Make>
std::shared_ptr<const Pieces> make_pieces(const Conv& conv, const Cut& cut, Make make) {
  if (conv.batch == 0 || x_floats(conv) == 0 || y_floats(conv) == 0) return nullptr;
  try {
    ConvPiece whole = make(cut.size, nullptr);
    const bool is_result = whole.c_role == DNNL_ARG_DIFF_WEIGHTS;
    const dnnl::memory::desc weights = is_result ? whole.c.liked : whole.b.liked;
    ConvPiece last = make(cut.last, &weights);
    return std::make_shared<const Pieces>(Pieces{cut, std::move(whole), std::move(last)});
  } catch (const dnnl::error&) {
    return nullptr;
  }
}

/// Images a and weights b to images c, `a_floats` and `c_floats` to an image.
void run_images(const Pieces& pieces, const float* a, std::int64_t a_floats, const float* b,
                const float* bias, float* c, std::int64_t c_floats, int threads) {
  const Bridge& weights = pieces.whole.b;
  const void* ready = b;
  if (weights.needed()) {
    std::byte* const memory = thread_scratch(weights.bytes(), ScratchFor::Call);
    weights.run(b, memory, thread_scratch(weights.scratchpad.get_size()), /*inwards=*/true);
    ready = memory;
  }
  parallel_for(threads, pieces.cut.count, [&](std::int64_t task) {
    const ConvPiece& piece = pieces[task];
    const std::int64_t first = task * pieces.cut.size;
    std::byte* const liked_a =
        thread_scratch(piece.a.bytes() + piece.c.bytes() + piece.scratch_bytes());
    std::byte* const liked_c = liked_a + piece.a.bytes();
    std::byte* const pad = liked_c + piece.c.bytes();
    const void* from = a + first * a_floats;
    if (piece.a.needed()) {
      piece.a.run(from, liked_a, pad, /*inwards=*/true);
      from = liked_a;
    }
    float* const to = c + first * c_floats;
    piece.run(from, ready, bias, piece.c.needed() ? static_cast<void*>(liked_c) : to, pad);
    if (piece.c.needed()) piece.c.run(liked_c, to, pad, /*inwards=*/false);
  });
}

/// The partial sum of one sub-batch, in the layout the primitive likes.
void run_partial(const ConvPiece& piece, const float* dy, const float* x, void* sum) {
  std::byte* const liked_dy =
      thread_scratch(piece.a.bytes() + piece.b.bytes() + piece.scratch_bytes());
  std::byte* const liked_x = liked_dy + piece.a.bytes();
  std::byte* const pad = liked_x + piece.b.bytes();
  if (piece.a.needed()) piece.a.run(dy, liked_dy, pad, /*inwards=*/true);
  if (piece.b.needed()) piece.b.run(x, liked_x, pad, /*inwards=*/true);
  piece.run(piece.a.needed() ? static_cast<const void*>(liked_dy) : dy,
            piece.b.needed() ? static_cast<const void*>(liked_x) : x, nullptr, sum, pad);
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
  const auto pieces = make_pieces(shape, cut_by_work(shape), [&](auto images, auto weights) {
    return forward_piece(shape, images, bias, weights);
  });
  if (pieces == nullptr) return {};
  return [pieces, x_size = x_floats(shape), y_size = y_floats(shape)](
             const float* x, const float* w, const float* b, float* y, int threads) {
    run_images(*pieces, x, x_size, w, b, y, y_size, threads);
  };
}

ConvToInput conv_to_input(const Conv& shape) {
  const auto pieces = make_pieces(shape, cut_by_work(shape), [&](auto images, auto weights) {
    return to_input_piece(shape, images, weights);
  });
  if (pieces == nullptr) return {};
  return [pieces, x_size = x_floats(shape), y_size = y_floats(shape)](
             const float* dy, const float* w, float* dx, int threads) {
    run_images(*pieces, dy, y_size, w, nullptr, dx, x_size, threads);
  };
}

ConvToWeight conv_to_weight(const Conv& shape) {
  const auto pieces = make_pieces(shape, cut_for_sums(shape), [&](auto images, auto weights) {
    return to_weight_piece(shape, images, weights);
  });
  if (pieces == nullptr) return {};
  return [pieces, x_size = x_floats(shape), y_size = y_floats(shape)](
             const float* dy, const float* x, float* dw, int threads) {
    const Cut& cut = pieces->cut;
    const Bridge& result = pieces->whole.c;
    const auto floats = static_cast<std::int64_t>(result.liked.get_size() / sizeof(float));
    const std::int64_t stride = (floats + 15) / 16 * 16;
    const bool direct = cut.count == 1 && !result.needed();
    auto* parts =
        direct
            ? dw
            : reinterpret_cast<float*>(thread_scratch(
                  static_cast<std::size_t>(stride * cut.count) * sizeof(float), ScratchFor::Call));
    parallel_for(threads, cut.count, [&](std::int64_t task) {
      const std::int64_t first = task * cut.size;
      run_partial((*pieces)[task], dy + first * y_size, x + first * x_size, parts + task * stride);
    });
    if (direct) return;
    add_parts(parts, stride, cut.count, result.needed() ? parts : dw, floats, threads);
    if (result.needed())
      result.run(parts, dw, thread_scratch(result.scratchpad.get_size()), /*inwards=*/false);
  };
}

}  // namespace chop::runtime
