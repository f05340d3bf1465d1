// Teams: what members see of each other after a meeting, and when there is no team.
#include "runtime/team.hpp"

#include <gtest/gtest.h>

#include "support/system/threads.hpp"

namespace chop {
namespace {

using runtime::Member;
using runtime::RowBlocks;
using runtime::run_team;
using runtime::Share;

class Teams : public testing::Test {
 protected:
  Teams() { set_sharing(Sharing::Always); }
  ~Teams() override { set_sharing(Sharing::WhereItPays); }
};

TEST_F(Teams, MembersSeeWhatOthersWroteBeforeAMeeting) {
  const int count = std::min(4, hardware_threads());
  if (count < 2) GTEST_SKIP() << "one processor";
  std::vector<int> written(static_cast<std::size_t>(count));
  std::vector<int> wrong(static_cast<std::size_t>(count));
  const bool done = run_team(count, [&](Member& member) {
    const auto me = static_cast<std::size_t>(member.number());
    for (int round = 1; round <= 1000; ++round) {
      written[me] = round;
      member.meet();
      for (const int other : written) wrong[me] += other == round ? 0 : 1;
      member.meet();
    }
  });
  EXPECT_TRUE(done);
  EXPECT_EQ(wrong, std::vector<int>(wrong.size()));
}

TEST_F(Teams, WhatIsLeftForLaterComesAfterTheNextMeetingAndOnce) {
  const int count = std::min(2, hardware_threads());
  std::atomic<int> before = 0;
  std::atomic<int> seen = 0;
  run_team(count, [&](Member& member) {
    member.later([&](const Member&) { seen += before; });
    ++before;
    EXPECT_EQ(seen, 0);
    member.meet();
    member.meet();
  });
  EXPECT_EQ(seen, count * count);
}

TEST_F(Teams, NothingIsDoneWhereThreadsDoNotCome) {
  bool called = false;
  bool done = true;
  parallel_short(2, [&](std::int64_t number) {
    if (number == 0) done = run_team(2, [&](Member&) { called = true; });
  });
  EXPECT_FALSE(done) << "a task has no team";
  EXPECT_FALSE(called);
}

TEST(TeamRows, EveryBlockIsOneMembers) {
  for (const std::int64_t rows : {128, 256, 1000, 4095})
    for (const int count : {1, 2, 3, 7}) {
      const RowBlocks blocks{rows, runtime::kTeamRows};
      std::int64_t next = 0;
      for (int number = 0; number < count; ++number) {
        const Share mine = Member(number, count, nullptr).rows(blocks);
        if (mine.size() == 0) continue;
        EXPECT_EQ(mine.begin, next);
        next = mine.end;
      }
      EXPECT_EQ(next, rows);
    }
}

}  // namespace
}  // namespace chop
