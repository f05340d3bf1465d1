// Teams: threads that run the steps of a plan together, each the rows of its own from the first
// step to the last, so that what it reads is in its own cache. They meet only where one needs what
// another has made: the sums of a batch norm, once a layer.
//
//   member 0: rows 0 to 127     linear, sums | meet | batch norm, linear, sums | meet | ...
//   member 1: rows 128 to 255   linear, sums | meet | batch norm, linear, sums | meet | ...
//
// Sums over rows are made by blocks of rows and added in the order of the blocks (row_blocks.hpp),
// so results have the same bits for any number of members, one included.
#pragma once

#include <atomic>
#include <functional>

#include "runtime/row_blocks.hpp"

namespace chop::runtime {

/// Where the members of a team meet.
class MeetingPlace {
 public:
  static constexpr int kMostMembers = 16;

  /// Returns once all of `count` members have come for the `time`-th time.
  void meet(int member, int count, std::uint32_t time);
  /// Whether somebody was so late that others gave way.
  bool was_late() const { return late_.load(std::memory_order_relaxed); }

 private:
  /// How often a member came: a cache line each, which only that member writes.
  struct alignas(64) Came {
    std::atomic<std::uint32_t> times{0};
  };
  std::array<Came, kMostMembers> came_;
  std::atomic<bool> late_{false};
};

/// One of the threads of a team.
class Member {
 public:
  using Later = std::function<void(const Member&)>;

  Member(int number, int count, MeetingPlace* place)
      : number_(number), count_(count), place_(place) {}

  int number() const { return number_; }
  int count() const { return count_; }
  bool is_first() const { return number_ == 0; }
  /// The blocks of rows that are this member's.
  Share blocks(const RowBlocks& all) const { return share_of(all.count(), 1, number_, count_); }
  Share rows(const RowBlocks& all) const { return all.rows_of(blocks(all)); }

  /// Waits for all members, then does what was left for later. What they wrote before is visible.
  void meet();
  /// Something that every member does after the next meeting.
  void later(Later work) { later_.push_back(std::move(work)); }

 private:
  int number_;
  int count_;
  MeetingPlace* place_;
  std::uint32_t met_ = 0;
  std::vector<Later> later_;
};

/// Asks for the cache lines of some floats, which another member has: to read them, or to write.
void fetch(const float* from, std::int64_t count);
void fetch_to_write(const float* from, std::int64_t count);

/// Calls work(member) on `count` threads at the same time, the caller's being member 0. False, and
/// nothing was done, if threads do not come soon enough.
bool run_team(int count, const std::function<void(Member&)>& work);

}  // namespace chop::runtime
