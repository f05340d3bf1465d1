// Images between NCHW and NHWC: for each image the transpose of a matrix, [channels, positions] to
// [positions, channels] or back, in blocks of 16 x 16 that stay in the first cache.
#include "runtime/conv/frozen/convert_layout.hpp"

#include "ops/families/indexing/shapes.hpp"
#include "runtime/elementwise.hpp"

namespace chop::runtime {
namespace {

/// The transpose of a matrix [rows, columns]: y[j, i] = x[i, j].
struct Transpose {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
};

template <std::int64_t kRows>
void few_rows(const Transpose& t, const float* x, std::int64_t first, std::int64_t last, float* y) {
  for (std::int64_t j = first; j < last; ++j)
    for (std::int64_t i = 0; i < kRows; ++i) y[j * kRows + i] = x[i * t.columns + j];
}

/// Columns [first, last) of x.
void transpose_columns(const Transpose& t, const float* x, std::int64_t first, std::int64_t last,
                       float* y) {
  if (t.rows == 3) return few_rows<3>(t, x, first, last, y);
  constexpr std::int64_t kBlock = 16;
  for (std::int64_t at = first; at < last; at += kBlock)
    for (std::int64_t i = 0; i < t.rows; i += kBlock) {
      const std::int64_t right = std::min(at + kBlock, last);
      const std::int64_t bottom = std::min(i + kBlock, t.rows);
      for (std::int64_t j = at; j < right; ++j)
        for (std::int64_t k = i; k < bottom; ++k) y[j * t.rows + k] = x[k * t.columns + j];
    }
}

}  // namespace

Kernel convert_layout(const Shape& shape, Layout to) {
  const std::int64_t batch = shape[0];
  const std::int64_t channels = shape[1];
  const std::int64_t area = ops::product(shape, 2);
  const Transpose t =
      to == Layout::ChannelsLast ? Transpose{channels, area} : Transpose{area, channels};
  const std::int64_t chunk =
      std::max<std::int64_t>(16, kChunk / 2 / std::max<std::int64_t>(1, t.rows) / 16 * 16);
  const std::int64_t chunks = (t.columns + chunk - 1) / chunk;
  return [=](const KernelArgs& args, const RunContext& context) {
    parallel_for(context.threads, batch * chunks, [&](std::int64_t task) {
      const std::int64_t image = task / chunks * channels * area;
      const std::int64_t first = task % chunks * chunk;
      transpose_columns(t, args.input(0) + image, first, std::min(first + chunk, t.columns),
                        args.output() + image);
    });
  };
}

}  // namespace chop::runtime
