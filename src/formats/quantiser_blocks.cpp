// Quantiser::run() for groups that lie together: each is measured, completed and quantised while
// it is in the cache, so memory is read once.
#include "formats/fast.hpp"
#include "formats/quantiser.hpp"

namespace chop::formats {
namespace {

constexpr std::int64_t kFewGroups = 64;         // up to here a table takes longer than it saves
constexpr std::int64_t kMostInTile = 64 << 10;  // floats: what stays in a core's own cache
constexpr std::int64_t kSideBySide = 64;        // columns of a tile, if there are as many

std::int64_t divided_up(std::int64_t size, std::int64_t by) {
  return (size + by - 1) / by;
}

struct TileShape {
  std::int64_t blocks = 0;
  std::int64_t height = 0;
  std::int64_t width = 0;
  std::int64_t stride = 0;  ///< from row to row of the tensor
};

/// move(offset in the tensor, offset in the tile) for every value, row by row of the tensor.
template <class Move>
void move_tile(const TileShape& s, Move move) {
  for (std::int64_t r = 0; r < s.height; ++r) {
    if (s.width == 1) {  // a transposition
      for (std::int64_t k = 0; k < s.blocks; ++k) move(r * s.stride + k, k * s.height + r);
      continue;
    }
    for (std::int64_t k = 0; k < s.blocks; ++k)
      for (std::int64_t i = 0; i < s.width; ++i)
        move(r * s.stride + k * s.width + i, (k * s.height + r) * s.width + i);
  }
}

}  // namespace

void Quantiser::prepare_blocks() {
  if (!tiles_ || def_->measure != Measure::AbsMax || count_ == 0) return;
  bands_ = tiles_->bands();
  if (!bands_ || groups() < kFewGroups || def_->fast.run_blocks == nullptr) return;
  if (bands_->height > 1) {
    const std::int64_t width = std::max(bands_->width, kSideBySide);
    if (bands_->height * width > kMostInTile) return;
    tile_.resize(static_cast<std::size_t>(bands_->height * width));
  }
  table_ = formats::ShareTable::make(*def_, base_);
}

void Quantiser::run_blocks(const float* x, float* y) {
  bool some_zero = false;
  if (bands_->height > 1) {
    some_zero = run_tiles(x, y);
  } else {
    // Rows of whole blocks are one long row.
    const bool joined = bands_->columns % bands_->width == 0;
    const std::int64_t rows = joined ? 1 : bands_->matrices * bands_->rows;
    const std::int64_t columns = count_ / rows;
    formats::Blocks blocks{.table = &*table_,
                           .plain = def_->codec.quantise,
                           .size = bands_->width,
                           .abs_max = scratch_.data(),
                           .zeros_wait = def_->zero_takes_least};
    for (std::int64_t r = 0; r < rows; ++r, blocks.abs_max += divided_up(columns, blocks.size))
      some_zero |= def_->fast.run_blocks(blocks, {.x = x + r * columns,
                                                  .y = y + r * columns,
                                                  .count = columns,
                                                  .store = best_store(x, y, count_)});
  }
  if (some_zero && def_->zero_takes_least) run_zeros(x, y);
}

/// Blocks of several rows: some that lie side by side are put one after the other, and back.
bool Quantiser::run_tiles(const float* x, float* y) {
  const Tiles::Bands& b = *bands_;
  const std::int64_t side_by_side = std::max<std::int64_t>(1, kSideBySide / b.width);
  float* const tile = tile_.data();
  bool some_zero = false;
  formats::Blocks blocks{.table = &*table_,
                         .plain = def_->codec.quantise,
                         .abs_max = scratch_.data(),
                         .zeros_wait = def_->zero_takes_least};
  for (std::int64_t band = 0; band < b.matrices * divided_up(b.rows, b.height); ++band) {
    const std::int64_t matrix = band / divided_up(b.rows, b.height);
    const std::int64_t top = band % divided_up(b.rows, b.height) * b.height;
    const std::int64_t height = std::min(b.height, b.rows - top);
    for (std::int64_t left = 0; left < b.columns;) {
      // The last block of a row may be narrower: it is a tile of its own.
      const std::int64_t width = std::min(b.width, b.columns - left);
      const std::int64_t many = std::min(side_by_side, (b.columns - left) / width);
      const std::int64_t at = (matrix * b.rows + top) * b.columns + left;
      const TileShape shape{.blocks = many, .height = height, .width = width, .stride = b.columns};
      move_tile(shape, [&](std::int64_t k, std::int64_t i) { tile[i] = x[at + k]; });
      blocks.size = height * width;
      some_zero |= def_->fast.run_blocks(blocks, {tile, tile, many * blocks.size});
      move_tile(shape, [&](std::int64_t k, std::int64_t i) { y[at + k] = tile[i]; });
      blocks.abs_max += many;
      left += many * width;
    }
  }
  return some_zero;
}

/// The groups without magnitude, which take the least of the others.
void Quantiser::run_zeros(const float* x, float* y) {
  const Element& element = table_->at(least_magnitude()).element;
  tiles_->for_each_run([&](std::int64_t group, std::int64_t offset, std::int64_t length) {
    if (scratch_[static_cast<std::size_t>(group)] == 0) fast_run(element, x, y, offset, length);
  });
}

/// Groups that are runs, and share a number of their own.
void Quantiser::run_rows(const float* x, float* y) {
  const std::int64_t rows = bands_->matrices * bands_->rows;
  for (std::int64_t r = 0; r < rows; ++r)
    for (std::int64_t c = 0; c < bands_->columns; c += bands_->width) {
      const std::int64_t offset = r * bands_->columns + c;
      const std::int64_t length = std::min(bands_->width, bands_->columns - c);
      Element element = base_;
      def_->share(element, {.abs_max = formats::abs_max(x + offset, length)});
      fast_run(element, x, y, offset, length);
    }
}

}  // namespace chop::formats
