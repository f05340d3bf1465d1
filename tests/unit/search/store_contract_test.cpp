// What every kind of store promises, whatever it keeps studies in.
#include <atomic>
#include <cmath>
#include <limits>
#include <thread>

#include "support/stores.hpp"

namespace chop {
namespace {

using testing::busy_trial;
using testing::expect_same;
using testing::must;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

class StoreContract : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    store_ = place_.open();
    if (must(store_->find(name_))) must(store_->remove(name_));
    must(store_->create({.name = name_, .directions = {Direction::Minimise, Direction::Maximise}}));
  }
  void TearDown() override { must(store_->remove(name_)); }

  std::unique_ptr<StudySession> join(SessionOptions options = {.heartbeat = 0}) {
    return must(store_->join(name_, options));
  }
  /// Adds one trial.
  static void add(StudySession& session, Trial trial) {
    must(session.begin());
    must(session.commit({.added = {std::move(trial)}}));
  }
  static void change(StudySession& session, Trial trial) {
    must(session.begin());
    must(session.commit({.changed = {std::move(trial)}}));
  }

  testing::StorePlace place_{GetParam()};
  std::unique_ptr<StudyStore> store_;
  std::string name_ =
      cat(::testing::UnitTest::GetInstance()->current_test_info()->name(), "/\u00fc '\"%");
};

TEST_P(StoreContract, TrialsReadBackAsTheyWereStored) {
  const auto session = join();
  std::vector<Trial> trials;
  for (const TrialState state : {TrialState::Complete, TrialState::Pruned, TrialState::Fail,
                                 TrialState::Waiting, TrialState::Running, TrialState::Complete})
    trials.push_back(busy_trial(static_cast<std::int64_t>(trials.size()), state));
  trials[0].values = {kInfinity, -kInfinity};
  trials[1].reports = {{0, std::nan("")}, {5, kInfinity}, {7, -kInfinity}, {900000, 5e-324}};
  trials[2].user["huge"] = "\"" + std::string(3'000'000, 'x') + "\"";
  trials[5].user["\u4e2d\u6587"] = "\"\xf0\x9f\x98\x80\"";
  trials[5].values = {0.1 + 0.2, 1e308};
  must(session->begin());
  must(session->commit({.added = trials}));
  must(session->flush());
  const Study study = must(store_->read(name_));
  ASSERT_EQ(study.trials.size(), trials.size());
  for (std::size_t i = 0; i < trials.size(); ++i) expect_same(study.trials[i], trials[i]);
}

TEST_P(StoreContract, StudiesAreFoundListedAndRemoved) {
  const std::string other = name_ + "2";
  must(store_->create({.name = other,
                       .directions = {Direction::Maximise},
                       .user = {{"a", "1"}},
                       .system = {{"b", "[2]"}}}));
  must(store_->set_user_attribute(other, "a", "3"));
  must(store_->append(other, {busy_trial(17), busy_trial(3, TrialState::Fail)}));
  const std::optional<StudyInfo> found = must(store_->find(other));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->directions, std::vector{Direction::Maximise});
  EXPECT_EQ(found->user.at("a"), "3");
  EXPECT_EQ(found->system.at("b"), "[2]");
  bool listed = false;
  for (const StudySummary& summary : must(store_->list())) {
    if (summary.info.name != other) continue;
    listed = true;
    EXPECT_EQ(summary.trials, 2);
    EXPECT_EQ(summary.by_state.at(TrialState::Fail), 1);
    EXPECT_GT(summary.completed, summary.started);
  }
  EXPECT_TRUE(listed);
  EXPECT_EQ(must(store_->read(other)).trials.at(1).number, 1);
  must(store_->remove(other));
  EXPECT_FALSE(must(store_->find(other)));
  EXPECT_FALSE(store_->read(other));
  EXPECT_FALSE(store_->remove(other));
  EXPECT_FALSE(store_->join(other, {}));
}

TEST_P(StoreContract, ASecondStudyOfOneNameIsAnError) {
  const Status status = store_->create({.name = name_, .directions = {Direction::Minimise}});
  ASSERT_FALSE(status);
  EXPECT_NE(status.error().what.find("already"), std::string::npos);
}

TEST_P(StoreContract, SessionsSeeWhatOthersDidAndNotTheirOwn) {
  const auto a = join();
  const auto b = join();
  add(*a, busy_trial(0, TrialState::Running));
  StudyUpdates updates = must(b->begin());
  ASSERT_EQ(updates.trials.size(), 1U);
  EXPECT_EQ(updates.trials[0].state, TrialState::Running);
  must(b->commit({.added = {busy_trial(1, TrialState::Running)}}));
  updates = must(a->begin());
  ASSERT_EQ(updates.trials.size(), 1U);
  EXPECT_EQ(updates.trials[0].number, 1);
  must(a->commit({.added = {busy_trial(2, TrialState::Waiting)}, .changed = {busy_trial(0)}}));
  updates = must(b->begin());
  ASSERT_EQ(updates.trials.size(), 2U);
  expect_same(updates.trials[0], must(store_->read(name_)).trials[0]);
  EXPECT_EQ(updates.trials[0].values.size(), 2U);
  Trial waiting = updates.trials[1];
  EXPECT_EQ(waiting.system.at("from"), "2");
  waiting.state = TrialState::Running;
  must(b->commit({.changed = {waiting}}));
  updates = must(a->begin());
  ASSERT_EQ(updates.trials.size(), 1U);
  EXPECT_EQ(updates.trials[0].state, TrialState::Running);
  must(a->commit({}));
  EXPECT_TRUE(must(b->begin()).trials.empty());
  must(b->commit({}));
}

TEST_P(StoreContract, AChangeToATrialOfOursIsAnUpdate) {
  const auto a = join();
  const auto b = join();
  add(*a, busy_trial(0, TrialState::Running));
  must(b->begin());
  must(b->commit({.changed = {busy_trial(0, TrialState::Fail)}}));
  must(b->flush());
  const StudyUpdates updates = must(a->begin());
  ASSERT_EQ(updates.trials.size(), 1U);
  EXPECT_EQ(updates.trials[0].state, TrialState::Fail);
  must(a->commit({}));
}

TEST_P(StoreContract, AFinishedTrialNeverChanges) {
  const auto slow = join();
  const auto other = join();
  add(*slow, busy_trial(0, TrialState::Running));
  // The other one gives the trial up between the slow one's end of it and its commit.
  must(slow->begin());
  must(slow->commit({}));
  must(other->begin());
  must(other->commit({.changed = {busy_trial(0, TrialState::Fail)}}));
  must(other->flush());
  must(slow->begin());
  must(slow->commit({.added = {busy_trial(1)}, .changed = {busy_trial(0)}}));
  must(slow->report(0, 99, 0.5));
  must(slow->flush());
  const std::vector<Trial> trials = must(store_->read(name_)).trials;
  ASSERT_EQ(trials.size(), 2U);
  EXPECT_EQ(trials[0].state, TrialState::Fail);
  EXPECT_EQ(trials[1].state, TrialState::Complete);
}

TEST_P(StoreContract, ReportsArriveAndLaterOnesReplaceEarlierOnes) {
  const auto session = join();
  Trial trial{.number = 0};
  add(*session, trial);
  must(session->report(0, 1, 0.5));
  must(session->report(0, 1, 0.25));
  must(session->report(0, 2, std::nan("")));
  must(session->flush());
  trial = must(store_->read(name_)).trials.at(0);
  ASSERT_EQ(trial.reports.size(), 2U);
  EXPECT_EQ(trial.reports.at(1), 0.25);
  EXPECT_TRUE(std::isnan(trial.reports.at(2)));
}

TEST_P(StoreContract, OneSessionAtATimeHoldsAStudy) {
  const auto a = join();
  must(a->begin());
  std::atomic<bool> taken = false;
  std::thread other([&] {
    const auto b = join();
    EXPECT_EQ(must(b->begin()).trials.size(), 1U);
    taken = true;
    must(b->commit({}));
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_FALSE(taken);
  must(a->commit({.added = {busy_trial(0)}}));
  other.join();
  EXPECT_TRUE(taken);
}

TEST_P(StoreContract, ManySessionsAtOnceLoseNothingAndNumberWithoutGaps) {
  constexpr int kEach = 40;
  std::vector<std::thread> threads;
  for (int worker = 0; worker < 4; ++worker)
    threads.emplace_back([worker, session = std::shared_ptr(join())] {
      std::int64_t known = 0;
      std::vector<Trial> finished;
      for (int i = 0; i < kEach; ++i) {
        for (const Trial& trial : must(session->begin()).trials)
          known = std::max(known, trial.number + 1);
        Trial trial = busy_trial(known++, TrialState::Running);
        trial.user["worker"] = cat(worker);
        must(session->commit({.added = {trial}, .changed = std::exchange(finished, {})}));
        trial.state = TrialState::Complete;
        trial.values = {1, 2};
        finished = {trial};
      }
      must(session->begin());
      must(session->commit({.changed = finished}));
      must(session->flush());
    });
  for (std::thread& thread : threads) thread.join();
  const Study study = must(store_->read(name_));
  ASSERT_EQ(study.trials.size(), 4U * kEach);
  std::map<std::string, int> by_worker;
  for (std::size_t i = 0; i < study.trials.size(); ++i) {
    EXPECT_EQ(study.trials[i].number, static_cast<std::int64_t>(i));
    EXPECT_EQ(study.trials[i].state, TrialState::Complete);
    ++by_worker[study.trials[i].user.at("worker")];
  }
  for (const auto& [worker, count] : by_worker) EXPECT_EQ(count, kEach) << worker;
}

TEST_P(StoreContract, TenThousandTrials) {
  std::vector<Trial> trials;
  for (std::int64_t i = 0; i < 10'000; ++i) trials.push_back(busy_trial(i));
  must(store_->append(name_, trials));
  const auto session = join();
  const StudyUpdates updates = must(session->begin());
  ASSERT_EQ(updates.trials.size(), trials.size());
  for (const std::size_t i : {0, 1, 777, 9999}) expect_same(updates.trials[i], trials[i]);
  must(session->commit({.added = {busy_trial(10'000)}}));
  EXPECT_TRUE(must(session->begin()).trials.empty());
  must(session->commit({}));
}

TEST_P(StoreContract, ARunningTrialWithoutHeartbeatIsStale) {
  if (GetParam() == "memory") GTEST_SKIP() << "it ends with its workers";
  const SessionOptions options{.heartbeat = 0.1, .grace = 0.4};
  auto lively = join(options);
  auto silent = join(options);
  must(lively->begin());
  must(lively->commit({.added = {busy_trial(0, TrialState::Running)}}));
  must(silent->begin());
  must(silent->commit({.added = {busy_trial(1, TrialState::Running)}}));
  must(silent->flush());
  silent.reset();
  EXPECT_TRUE(must(join(options)->begin()).stale.empty());
  std::this_thread::sleep_for(std::chrono::milliseconds(700));
  const auto watcher = join(options);
  EXPECT_EQ(must(watcher->begin()).stale, std::vector<std::int64_t>{1});
  must(watcher->commit({.changed = {busy_trial(1, TrialState::Fail)}}));
  must(watcher->flush());
  const StudyUpdates updates = must(lively->begin());
  EXPECT_TRUE(updates.stale.empty());
  ASSERT_EQ(updates.trials.size(), 1U);
  EXPECT_EQ(updates.trials[0].state, TrialState::Fail);
  must(lively->commit({}));
}

TEST_P(StoreContract, ASessionOutlivesItsStore) {
  const auto session = join();
  if (GetParam() != "memory") store_ = nullptr;
  add(*session, busy_trial(0));
  must(session->flush());
  if (!store_) store_ = place_.open();
  EXPECT_EQ(must(store_->read(name_)).trials.size(), 1U);
}

TEST_P(StoreContract, ACompleteTrialWithoutANumberIsAnError) {
  const auto session = join();
  must(session->begin());
  Trial trial = busy_trial(0);
  trial.values[1] = std::nan("");
  const Status status = session->commit({.added = {trial}});
  ASSERT_FALSE(status);
  EXPECT_NE(status.error().what.find("NaN"), std::string::npos);
  EXPECT_FALSE(store_->append(name_, {trial}));
  add(*session, busy_trial(0));
  must(session->flush());
}

TEST_P(StoreContract, AnIdleSessionCanGoAway) {
  join();
  const auto session = join();
  must(session->begin());
}

INSTANTIATE_TEST_SUITE_P(All, StoreContract, ::testing::ValuesIn(testing::store_kinds()),
                         [](const auto& kind) { return kind.param; });

}  // namespace
}  // namespace chop
