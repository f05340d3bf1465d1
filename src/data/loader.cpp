#include "data/loader.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstring>
#include <numeric>
#include <utility>

#include "support/rng.hpp"

namespace chop {

/// Fisher and Yates: rows[i] changes places with one at or before it, from the last i on. Which
/// one is known in advance, so memory is asked for it before it is needed.
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

void BatchOrder::start_epoch(std::uint64_t epoch) {
  std::iota(rows_.begin(), rows_.end(), 0U);
  if (order_ == Order::Shuffled) shuffle_rows(rows_, seed_, epoch);
}

std::int64_t BatchOrder::batches() const {
  return static_cast<std::int64_t>((rows_.size() + batch_size_ - 1) / batch_size_);
}

std::span<const std::uint32_t> BatchOrder::batch(std::int64_t index) const {
  assert(index >= 0 && index < batches() && "batches are numbered from 0");
  const std::size_t begin = static_cast<std::size_t>(index) * batch_size_;
  return std::span(rows_).subspan(begin, std::min(batch_size_, rows_.size() - begin));
}

void prefetch(const Split& split, std::span<const std::uint32_t> rows) {
  constexpr std::size_t kLine = 64;
  constexpr std::size_t kMostLines = 4;  // of a row: longer ones the processor follows by itself
  if (split.rows() == 0) return;
  const auto width = static_cast<std::size_t>(split.x.size() / split.rows()) * sizeof(float);
  const auto* const x = split.x.bytes();
  const std::int64_t* const y = split.y.data<std::int64_t>().data();
  for (const std::uint32_t row : rows) {
    const std::byte* const at = x + row * width;
    for (std::size_t i = 0; i < std::min(width, kMostLines * kLine); i += kLine)
      __builtin_prefetch(at + i, 0, 2);
    __builtin_prefetch(y + row, 0, 2);
  }
}

void gather(const Split& split, std::span<const std::uint32_t> rows, float* x_out,
            std::int64_t* y_out) {
  const std::int64_t count = split.rows();
  if (count == 0) return;
  const auto width = static_cast<std::size_t>(split.x.size() / count);
  const float* const x = split.x.data<float>().data();
  const std::int64_t* const y = split.y.data<std::int64_t>().data();
  for (const std::uint32_t row : rows) {
    assert(row < count && "a row of the split");
    std::memcpy(x_out, x + row * width, width * sizeof(float));
    x_out += width;
    *y_out++ = y[row];
  }
}

}  // namespace chop
