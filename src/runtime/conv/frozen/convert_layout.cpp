#include "runtime/conv/frozen/convert_layout.hpp"

#include <algorithm>

#include "ops/families/indexing/shapes.hpp"
#include "runtime/elementwise.hpp"

namespace chop::runtime {
namespace {

/// A matrix [rows, columns] turned over: y[j, i] = x[i, j] for rows of x in [first, last).
struct Turn {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
};

template <std::int64_t kRows>
void few_rows(const Turn& turn, const float* x, std::int64_t first, std::int64_t last, float* y) {
  for (std::int64_t j = first; j < last; ++j)
    for (std::int64_t i = 0; i < kRows; ++i) y[j * kRows + i] = x[i * turn.columns + j];
}

/// Columns [first, last) of x, in tiles that stay in the first cache.
void turn_columns(const Turn& turn, const float* x, std::int64_t first, std::int64_t last,
                  float* y) {
  if (turn.rows == 3) return few_rows<3>(turn, x, first, last, y);
  constexpr std::int64_t kTile = 16;
  for (std::int64_t at = first; at < last; at += kTile)
    for (std::int64_t i = 0; i < turn.rows; i += kTile) {
      const std::int64_t right = std::min(at + kTile, last);
      const std::int64_t bottom = std::min(i + kTile, turn.rows);
      for (std::int64_t j = at; j < right; ++j)
        for (std::int64_t k = i; k < bottom; ++k) y[j * turn.rows + k] = x[k * turn.columns + j];
    }
}

}  // namespace

Kernel convert_layout(const Shape& shape, Layout to) {
  const std::int64_t batch = shape[0];
  const std::int64_t channels = shape[1];
  const std::int64_t area = ops::product(shape, 2);
  const Turn turn = to == Layout::ChannelsLast ? Turn{channels, area} : Turn{area, channels};
  const std::int64_t chunk =
      std::max<std::int64_t>(16, kChunk / 2 / std::max<std::int64_t>(1, turn.rows) / 16 * 16);
  const std::int64_t chunks = (turn.columns + chunk - 1) / chunk;
  return [=](const KernelArgs& args, const RunContext& context) {
    parallel_for(context.threads, batch * chunks, [&](std::int64_t task) {
      const std::int64_t image = task / chunks * channels * area;
      const std::int64_t first = task % chunks * chunk;
      turn_columns(turn, args.input(0) + image, first, std::min(first + chunk, turn.columns),
                   args.output() + image);
    });
  };
}

}  // namespace chop::runtime
