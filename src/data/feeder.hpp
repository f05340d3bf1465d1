// Prefetches batches on another thread: the rows of a shuffled batch are scattered over memory, and
// copying them waits for it. A ring of slots between one producer (the thread) and one consumer
// (training).
#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "data/loader.hpp"

namespace chop::data {

class BatchFeeder {
 public:
  /// Batches of at most `batch` rows; the other arguments must outlive the feeder.
  BatchFeeder(const RowGatherer& gatherer, const BatchOrder& order, std::int64_t batch);
  ~BatchFeeder();
  BatchFeeder(const BatchFeeder&) = delete;
  BatchFeeder& operator=(const BatchFeeder&) = delete;

  /// Gathers batches `first` and following of the order as it is now, until stop().
  void start(std::int64_t first);
  /// To be called before the order changes.
  void stop();
  /// Copies a batch; they are taken one after the other. One that is not ready is gathered
  /// by the caller, so training never waits for a thread that is not scheduled.
  void take(std::int64_t batch, float* x_out, std::int64_t* y_out);

 private:
  /// A slot: memory for one batch.
  struct Slot {
    std::atomic<std::int64_t> holds{-1};  ///< which batch
    std::vector<float> x;
    std::vector<std::int64_t> y;
  };

  void work(std::int64_t first);
  std::int64_t wait_for_room(std::int64_t next);

  const RowGatherer& gatherer_;
  const BatchOrder& order_;
  std::vector<Slot> slots_;
  std::atomic<std::int64_t> taken_{0};  ///< batches before this one have been copied
  std::atomic<bool> asleep_{false};     ///< all slots were full
  bool stop_ = false;
  std::mutex mutex_;
  std::condition_variable room_;
  std::thread thread_;
};

}  // namespace chop::data
