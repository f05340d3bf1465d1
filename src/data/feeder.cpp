#include "data/feeder.hpp"

#include <system_error>

namespace chop::data {
namespace {

/// Bytes of all slots: larger than a core's private cache, so that batches reach the other core
/// through the shared cache, and small enough for that one.
constexpr std::size_t kRing = std::size_t{4} << 20;
constexpr std::size_t kFewest = 4;
constexpr std::size_t kMost = 512;

std::size_t slots_for(std::size_t floats) {
  return std::clamp(kRing / std::max<std::size_t>(1, floats * sizeof(float)), kFewest, kMost);
}

}  // namespace

BatchFeeder::BatchFeeder(const RowGatherer& gatherer, const BatchOrder& order, std::int64_t batch)
    : gatherer_(gatherer),
      order_(order),
      slots_(slots_for(static_cast<std::size_t>(batch) * gatherer.width())) {
  for (Slot& slot : slots_) {
    slot.x.resize(static_cast<std::size_t>(batch) * gatherer.width());
    slot.y.resize(static_cast<std::size_t>(batch));
  }
}

BatchFeeder::~BatchFeeder() {
  stop();
}

void BatchFeeder::start(std::int64_t first) {
  stop();
  for (Slot& slot : slots_) slot.holds = -1;
  taken_ = first;
  stop_ = false;
  try {
    thread_ = std::thread([this, first] { work(first); });
  } catch (const std::system_error&) {  // no memory for a stack: take() gathers by itself
  }
}

void BatchFeeder::stop() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  room_.notify_one();
  thread_.join();
}

/// The batch to gather next: not one that was taken already. -1: no more.
std::int64_t BatchFeeder::wait_for_room(std::int64_t next) {
  const auto count = static_cast<std::int64_t>(slots_.size());
  if (next >= taken_ + count) {
    std::unique_lock lock(mutex_);
    asleep_ = true;
    room_.wait(lock, [&] { return stop_ || next < taken_ + count; });
    asleep_ = false;
  }
  const std::lock_guard lock(mutex_);
  if (stop_) return -1;
  // The consumer is ahead and gathers for itself: the batch after the next is still useful.
  return std::max<std::int64_t>(next, taken_ + 1);
}

void BatchFeeder::work(std::int64_t first) {
  const std::int64_t batches = order_.batches();
  for (std::int64_t next = first;; ++next) {
    next = wait_for_room(next);
    if (next < 0 || next >= batches) return;
    Slot& slot = slots_[static_cast<std::size_t>(next) % slots_.size()];
    gatherer_.gather(order_.batch(next), slot.x.data(), slot.y.data());
    slot.holds.store(next, std::memory_order_release);
  }
}

void BatchFeeder::take(std::int64_t batch, float* x_out, std::int64_t* y_out) {
  const std::span<const std::uint32_t> rows = order_.batch(batch);
  const Slot& slot = slots_[static_cast<std::size_t>(batch) % slots_.size()];
  if (slot.holds.load(std::memory_order_acquire) == batch) {
    std::copy_n(slot.x.data(), rows.size() * gatherer_.width(), x_out);
    std::copy_n(slot.y.data(), rows.size(), y_out);
  } else {
    gatherer_.gather(rows, x_out, y_out);
  }
  taken_ = batch + 1;  // before asleep_ is read: the thread writes asleep_ before it reads taken_
  const auto count = static_cast<std::int64_t>(slots_.size());
  if (asleep_ && (batch + 1) % (count / 2) == 0) {
    const std::lock_guard lock(mutex_);
    room_.notify_one();
  }
}

}  // namespace chop::data
