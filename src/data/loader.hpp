// Batches: the order of the rows in each epoch, and the rows gathered into memory.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "data/dataset.hpp"

namespace chop {

/// Shuffles `rows` in place (Fisher-Yates); the result depends on their order, the seed and
/// the epoch alone.
void shuffle_rows(std::span<std::uint32_t> rows, std::uint64_t seed, std::uint64_t epoch);

/// The rows of every batch of an epoch. Epoch e has the same order whether or not the epochs
/// before it were run, so a resumed training continues as if it had never stopped.
class BatchOrder {
 public:
  enum class Order : std::uint8_t { Shuffled, AsStored };

  /// Starts with epoch 0. `batch_size` is at least 1.
  BatchOrder(std::int64_t rows, std::int64_t batch_size, std::uint64_t seed,
             Order order = Order::Shuffled);

  void start_epoch(std::uint64_t epoch);
  /// The last batch may be smaller than the others.
  std::int64_t batches() const;
  std::span<const std::uint32_t> batch(std::int64_t index) const;

 private:
  std::vector<std::uint32_t> rows_;
  std::size_t batch_size_;
  std::uint64_t seed_;
  Order order_;
};

/// Asks the memory for rows that will be gathered next, and does not wait for them.
void prefetch(const Split& split, std::span<const std::uint32_t> rows);

/// Copies the chosen rows, one after the other.
void gather(const Split& split, std::span<const std::uint32_t> rows, float* x_out,
            std::int64_t* y_out);

}  // namespace chop
