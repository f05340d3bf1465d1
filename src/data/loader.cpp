#include "data/loader.hpp"

#include <cstring>
#include <numeric>

#include "support/rng.hpp"

namespace chop::data {

/// Fisher-Yates shuffle: rows[i] is swapped with a random one at or before it, from the last i
/// down. The partners are drawn in advance, so that their memory can be prefetched.
void shuffle_rows(std::span<std::uint32_t> rows, std::uint64_t seed, std::uint64_t epoch) {
  constexpr std::size_t kAhead = 32;
  const Stream stream(seed, "shuffle", epoch);
  std::array<std::size_t, kAhead> partners{};  // of rows[i], at i % kAhead
  const auto choose = [&](std::size_t i) {
    partners[i % kAhead] = stream.below(i, i + 1);
    __builtin_prefetch(&rows[partners[i % kAhead]], /*rw=*/1);
  };
  const std::size_t known_from = rows.size() > kAhead ? rows.size() - kAhead : 1;
  for (std::size_t i = known_from; i < rows.size(); ++i) choose(i);
  for (std::size_t i = rows.size(); i-- > 1;) {
    std::swap(rows[i], rows[partners[i % kAhead]]);
    if (i > kAhead) choose(i - kAhead);
  }
}

BatchOrder::BatchOrder(std::int64_t rows, std::int64_t batch_size, std::uint64_t seed, Order order)
    : rows_(static_cast<std::size_t>(rows)),
      batch_size_(static_cast<std::size_t>(batch_size)),
      seed_(seed),
      order_(order) {
  assert(batch_size >= 1 && "batches have rows");
  start_epoch(0);
}

void BatchOrder::start_epoch(std::uint64_t epoch, Ahead ahead) {
  if (order_ == Order::AsStored) {
    std::iota(rows_.begin(), rows_.end(), 0U);
    return;
  }
  const auto find = [seed = seed_](std::vector<std::uint32_t> rows, std::uint64_t of) {
    std::iota(rows.begin(), rows.end(), 0U);
    shuffle_rows(rows, seed, of);
    return rows;
  };
  std::vector<std::uint32_t> spare;
  if (next_.valid()) spare = next_.get();
  if (epoch_ != epoch) {
    if (spare.size() == rows_.size() && next_epoch_ == epoch && !rows_.empty())
      rows_.swap(spare);
    else
      rows_ = find(std::move(rows_), epoch);
    epoch_ = epoch;
  }
  if (ahead == Ahead::No) return;
  spare.resize(rows_.size());
  next_epoch_ = epoch + 1;
  // With both policies it is found when it is asked for, should no thread be to be had.
  next_ =
      std::async(std::launch::async | std::launch::deferred, find, std::move(spare), next_epoch_);
}

std::int64_t BatchOrder::batches() const {
  return static_cast<std::int64_t>((rows_.size() + batch_size_ - 1) / batch_size_);
}

std::span<const std::uint32_t> BatchOrder::batch(std::int64_t index) const {
  assert(index >= 0 && index < batches() && "batches are numbered from 0");
  const std::size_t begin = static_cast<std::size_t>(index) * batch_size_;
  return std::span(rows_).subspan(begin, std::min(batch_size_, rows_.size() - begin));
}

namespace {

/// Short rows are copied without calling memcpy.
void copy_row(const float* from, std::size_t width, float* to) {
  constexpr std::size_t kStep = 4;
  constexpr std::size_t kShort = 64;
  if (width > kShort || width % kStep != 0) {
    std::memcpy(to, from, width * sizeof(float));
    return;
  }
  for (std::size_t i = 0; i < width; i += kStep)
    std::memcpy(to + i, from + i, kStep * sizeof(float));
}

}  // namespace

RowGatherer::RowGatherer(const Split& split)
    : x_(split.x.data<float>().data()),
      y_(split.y.data<std::int64_t>().data()),
      rows_(static_cast<std::size_t>(split.rows())),
      width_(rows_ == 0 ? 0 : static_cast<std::size_t>(split.x.size()) / rows_) {
  labels_.resize(rows_);
  for (std::size_t row = 0; row < rows_; ++row) {
    if (y_[row] < 0 || y_[row] > 255) {
      labels_.clear();
      return;
    }
    labels_[row] = static_cast<std::uint8_t>(y_[row]);
  }
}

void RowGatherer::prefetch(std::span<const std::uint32_t> rows) const {
  constexpr std::size_t kLine = 16;      // floats
  constexpr std::size_t kMostLines = 4;  // of a row: longer ones the hardware prefetches by itself
  for (const std::uint32_t row : rows) {
    for (std::size_t i = 0; i < std::min(width_, kMostLines * kLine); i += kLine)
      __builtin_prefetch(x_ + row * width_ + i, 0, 2);
    if (labels_.empty()) __builtin_prefetch(y_ + row, 0, 2);
  }
}

void RowGatherer::gather(std::span<const std::uint32_t> rows, float* x_out,
                         std::int64_t* y_out) const {
  for (const std::uint32_t row : rows) {
    assert(row < rows_ && "a row of the split");
    copy_row(x_ + row * width_, width_, x_out);
    x_out += width_;
  }
  for (const std::uint32_t row : rows) *y_out++ = labels_.empty() ? y_[row] : labels_[row];
}

}  // namespace chop::data
