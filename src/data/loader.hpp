// Batches: the order of the rows in each epoch, and the rows gathered into memory.
#pragma once

#include <future>

#include "data/dataset.hpp"

namespace chop::data {

/// Shuffles `rows` in place (Fisher-Yates); the result depends on their order, the seed and
/// the epoch alone.
void shuffle_rows(std::span<std::uint32_t> rows, std::uint64_t seed, std::uint64_t epoch);

/// The rows of every batch of an epoch. Epoch e has the same order whether or not the epochs
/// before it were run, so a resumed training continues as if it had never stopped.
class BatchOrder {
 public:
  enum class Order : std::uint8_t { Shuffled, AsStored };
  enum class Ahead : std::uint8_t { No, Yes };

  /// Starts with epoch 0. `batch_size` is at least 1.
  BatchOrder(std::int64_t rows, std::int64_t batch_size, std::uint64_t seed,
             Order order = Order::Shuffled);

  /// The order of an epoch; `ahead` computes the next epoch's order on another thread.
  void start_epoch(std::uint64_t epoch, Ahead ahead = Ahead::No);
  /// The last batch may be smaller than the others.
  std::int64_t batches() const;
  std::span<const std::uint32_t> batch(std::int64_t index) const;

 private:
  std::vector<std::uint32_t> rows_;
  std::optional<std::uint64_t> epoch_ = {};            ///< whose order `rows_` are in
  std::uint64_t next_epoch_ = 0;                       ///< of `next_`
  std::future<std::vector<std::uint32_t>> next_ = {};  ///< the next epoch's order, once computed
  std::size_t batch_size_;
  std::uint64_t seed_;
  Order order_;
};

/// Copies chosen rows of a split, which must outlive it.
class RowGatherer {
 public:
  explicit RowGatherer(const Split& split);

  std::size_t width() const { return width_; }  ///< floats of a row
  std::size_t bytes() const { return rows_ * width_ * sizeof(float); }
  /// One row after the other.
  void gather(std::span<const std::uint32_t> rows, float* x_out, std::int64_t* y_out) const;
  /// Prefetches rows that will be gathered next.
  void prefetch(std::span<const std::uint32_t> rows) const;

 private:
  const float* x_ = nullptr;
  const std::int64_t* y_ = nullptr;
  std::size_t rows_ = 0;
  std::size_t width_ = 0;
  /// Labels that fit a byte, so that many stay in the cache; empty when they do not.
  std::vector<std::uint8_t> labels_;
};

}  // namespace chop::data
