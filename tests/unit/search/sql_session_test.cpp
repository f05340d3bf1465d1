// The states of a session to a study in a database: what each call leads to when a connection is
// lost or a commit is refused. A SQLite file behind a connection that fails on request stands in
// for a server.
#include <deque>

#include "search/store/sql/session.hpp"
#include "search/store/sql/sqlite_connection.hpp"
#include "support/stores.hpp"

namespace chop {
namespace {

using search::execute;
using testing::busy_trial;
using testing::must;
using testing::TempFolder;

constexpr std::string_view kFate = "SELECT 'what became of it', $1";

enum class Fault : std::uint8_t { None, LostBefore, LostAfter, Refused };

/// What all connections of a test share.
struct Server {
  Fault next_commit = Fault::None;
  bool lose_next_lock = false;
  bool down = false;                    ///< nobody can connect again
  std::deque<std::string> fates = {};   ///< what it answers when asked about a transaction
  std::vector<std::string> asked = {};  ///< about these transactions
  std::function<void()> when_lost = [] {};
};

class FaultyConnection final : public SqlConnection {
 public:
  FaultyConnection(std::unique_ptr<SqlConnection> inner, Server& server)
      : inner_(std::move(inner)), server_(server), dialect_(inner_->dialect()) {
    dialect_.lock_study = "SELECT study_id, 'tx7' FROM studies WHERE study_id = $1";
    dialect_.outcome = kFate;
  }

  const SqlDialect& dialect() const override { return dialect_; }
  const std::string& shown() const override { return inner_->shown(); }
  Result<bool> others_wrote() override { return inner_->others_wrote(); }
  bool is_lost() const override { return lost_; }

  Status reconnect() override {
    if (server_.down) return Error{.what = "nobody answers"};
    lost_ = false;
    return inner_->reconnect();
  }

  Result<SqlRows> query(const SqlCommand& command) override {
    if (lost_) return Error{.what = "no connection"};
    if (command.text == dialect_.lock_study && std::exchange(server_.lose_next_lock, false))
      return lose();
    if (command.text != kFate) return inner_->query(command);
    server_.asked.push_back(std::get<std::string>(command.args.at(0)));
    const std::string fate = server_.fates.front();
    server_.fates.pop_front();
    return SqlRows{{fate}};
  }

  Status execute(std::span<const SqlCommand> commands) override {
    if (lost_) return Error{.what = "no connection"};
    if (commands.back().text != "COMMIT") return inner_->execute(commands);
    const Fault fault = std::exchange(server_.next_commit, Fault::None);
    if (fault == Fault::Refused) return Error{.what = "the disk is full"};
    if (fault == Fault::LostBefore) return lose();
    CH_CHECK(inner_->execute(commands));
    return fault == Fault::LostAfter ? Status(lose()) : Status();
  }

 private:
  Error lose() {
    (void)inner_->reconnect();  // which rolls back
    lost_ = true;
    server_.when_lost();
    return {.what = "the connection is lost"};
  }

  std::unique_ptr<SqlConnection> inner_;
  Server& server_;
  SqlDialect dialect_;
  bool lost_ = false;
};

class SqlSessionStates : public ::testing::Test {
 protected:
  void SetUp() override {
    store_ = must(open_store(file_));
    must(store_->create({.name = "s", .directions = {Direction::Minimise, Direction::Minimise}}));
  }

  std::unique_ptr<StudySession> join(double patience = 30) {
    const auto connect = [this]() -> Result<std::unique_ptr<SqlConnection>> {
      CH_TRY(std::unique_ptr<SqlConnection> inner, search::open_sqlite(file_, Create::No));
      return std::unique_ptr<SqlConnection>(new FaultyConnection(std::move(inner), server_));
    };
    return must(
        search::open_sql_session(connect, {1, "s"}, {.heartbeat = 0, .patience = patience}));
  }
  /// Adds trial 0 with a commit that goes wrong.
  void add_with(StudySession& session, Fault fault, TrialState state = TrialState::Complete) {
    must(session.begin());
    server_.next_commit = fault;
    must(session.commit({.added = {busy_trial(0, state)}}));
  }
  std::size_t stored() { return must(store_->read("s")).trials.size(); }

  TempFolder folder_;
  std::string file_ = (folder_ / "study.db").string();
  std::unique_ptr<StudyStore> store_;
  Server server_;
};

TEST_F(SqlSessionStates, ACommitThatHappenedBeforeTheLossIsNotStoredTwice) {
  const auto session = join();
  server_.fates = {"committed"};
  add_with(*session, Fault::LostAfter);
  must(session->flush());
  EXPECT_EQ(stored(), 1U);
  EXPECT_EQ(server_.asked, std::vector<std::string>{"tx7"});
}

TEST_F(SqlSessionStates, ACommitThatDidNotHappenIsDoneAgain) {
  const auto session = join();
  server_.fates = {"aborted"};
  add_with(*session, Fault::LostBefore);
  must(session->flush());
  EXPECT_EQ(stored(), 1U);
}

TEST_F(SqlSessionStates, AnIdGivenToAnotherTransactionIsNotTakenForOurs) {
  const auto session = join();
  server_.fates = {"committed"};
  add_with(*session, Fault::LostBefore);
  must(session->flush());
  EXPECT_EQ(stored(), 1U);
}

TEST_F(SqlSessionStates, ATransactionInProgressIsAskedAboutAgain) {
  const auto session = join();
  server_.fates = {"in progress", "in progress", "committed"};
  add_with(*session, Fault::LostAfter);
  must(session->flush());
  EXPECT_EQ(stored(), 1U);
  EXPECT_EQ(server_.asked.size(), 3U);
}

TEST_F(SqlSessionStates, AnErrorIsToldOnceAndThenTheNextCallTriesAgain) {
  const auto session = join();
  add_with(*session, Fault::Refused);
  const Result<StudyUpdates> refused = session->begin();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().what, "the disk is full");
  EXPECT_EQ(stored(), 0U);
  EXPECT_TRUE(must(session->begin()).trials.empty());
  EXPECT_EQ(stored(), 1U);
  EXPECT_TRUE(server_.asked.empty()) << "a commit that was refused has not happened";
  must(session->commit({.added = {busy_trial(1)}}));
  must(session->flush());
  EXPECT_EQ(stored(), 2U);
}

TEST_F(SqlSessionStates, FlushTellsAnErrorAndTheNextFlushStores) {
  const auto session = join();
  add_with(*session, Fault::Refused);
  EXPECT_FALSE(session->flush());
  must(session->flush());
  EXPECT_EQ(stored(), 1U);
}

TEST_F(SqlSessionStates, AServerThatStaysAwayIsAnErrorAndNothingIsForgotten) {
  const auto session = join(/*patience=*/0.05);
  server_.down = true;
  server_.fates = {"aborted"};
  add_with(*session, Fault::LostBefore);
  const Status lost = session->flush();
  ASSERT_FALSE(lost);
  EXPECT_NE(to_string(lost.error()).find("tried again for 0.05 s"), std::string::npos)
      << to_string(lost.error());
  EXPECT_FALSE(session->flush()) << "it is still away";
  server_.down = false;
  must(session->flush());
  EXPECT_EQ(stored(), 1U);
}

TEST_F(SqlSessionStates, ALossWhileLockingIsNoError) {
  const auto session = join();
  must(store_->append("s", {busy_trial(0)}));
  server_.lose_next_lock = true;
  EXPECT_EQ(must(session->begin()).trials.size(), 1U);
  must(session->commit({}));
}

TEST_F(SqlSessionStates, WhatOthersDidWhileItWasLostIsTold) {
  const auto session = join();
  server_.fates = {"aborted"};
  server_.when_lost = [this] { must(store_->append("s", {busy_trial(5)})); };
  add_with(*session, Fault::LostBefore);
  const StudyUpdates updates = must(session->begin());
  ASSERT_EQ(updates.trials.size(), 1U);
  EXPECT_EQ(updates.trials[0].system.at("from"), "5");
  must(session->commit({}));
  EXPECT_EQ(stored(), 2U);
}

TEST_F(SqlSessionStates, AResultThatComesAfterItsTrialWasGivenUpIsDropped) {
  const auto session = join();
  add_with(*session, Fault::None, TrialState::Running);
  server_.fates = {"aborted"};
  server_.when_lost = [this] {
    const auto other = join();
    must(other->begin());
    must(other->commit({.changed = {busy_trial(0, TrialState::Fail)}}));
    must(other->flush());
  };
  must(session->begin());
  server_.next_commit = Fault::LostBefore;
  must(session->commit({.changed = {busy_trial(0)}}));
  const StudyUpdates updates = must(session->begin());
  ASSERT_EQ(updates.trials.size(), 1U);
  EXPECT_EQ(updates.trials[0].state, TrialState::Fail);
  must(session->commit({}));
  EXPECT_EQ(must(store_->read("s")).trials.at(0).state, TrialState::Fail);
}

TEST_F(SqlSessionStates, AStudyIsFreeAfterNothingWasCommitted) {
  const auto session = join();
  const auto other = join();
  must(session->begin());
  must(session->commit({}));
  must(other->begin());
  must(other->commit({.added = {busy_trial(0)}}));
  must(other->flush());
  EXPECT_EQ(must(session->begin()).trials.size(), 1U);
  must(session->commit({}));
}

TEST_F(SqlSessionStates, ReportsAfterTheLastCommitAreStoredWhenTheSessionEnds) {
  {
    const auto session = join();
    must(session->begin());
    must(session->commit({.added = {Trial{.number = 0}}}));
    must(session->report(0, 3, 0.5));
  }
  const std::map<std::int64_t, double> expected = {{3, 0.5}};
  EXPECT_EQ(must(store_->read("s")).trials.at(0).reports, expected);
}

TEST_F(SqlSessionStates, ASessionThatCouldNotStoreGoesWithoutTryingAgain) {
  {
    const auto session = join();
    add_with(*session, Fault::Refused);
  }
  EXPECT_EQ(stored(), 0U);
}

}  // namespace
}  // namespace chop
