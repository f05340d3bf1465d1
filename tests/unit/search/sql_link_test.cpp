// The states of a link to a study in a database: what each call leads to when a connection is lost
// or a commit is refused. A SQLite file behind a connection that fails on request stands in for a
// server.
#include <deque>

#include "search/store/sql_link.hpp"
#include "search/store/sqlite_connection.hpp"
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

class SqlLinkStates : public ::testing::Test {
 protected:
  void SetUp() override {
    store_ = must(open_store(file_));
    must(store_->create({.name = "s", .directions = {Direction::Minimise, Direction::Minimise}}));
  }

  std::unique_ptr<StudyLink> join(double patience = 30) {
    const auto connect = [this]() -> Result<std::unique_ptr<SqlConnection>> {
      CH_TRY(std::unique_ptr<SqlConnection> inner, search::open_sqlite(file_, Create::No));
      return std::unique_ptr<SqlConnection>(new FaultyConnection(std::move(inner), server_));
    };
    return must(search::open_link(connect, {1, "s"}, {.heartbeat = 0, .patience = patience}));
  }
  /// Adds trial 0 with a commit that goes wrong.
  void add_with(StudyLink& link, Fault fault) {
    must(link.take());
    server_.next_commit = fault;
    must(link.give({.added = {busy_trial(0)}}));
  }
  std::size_t stored() { return must(store_->read("s")).trials.size(); }

  TempFolder folder_;
  std::string file_ = (folder_ / "study.db").string();
  std::unique_ptr<StudyStore> store_;
  Server server_;
};

TEST_F(SqlLinkStates, ACommitThatHappenedBeforeTheLossIsNotStoredTwice) {
  const auto link = join();
  server_.fates = {"committed"};
  add_with(*link, Fault::LostAfter);
  must(link->flush());
  EXPECT_EQ(stored(), 1U);
  EXPECT_EQ(server_.asked, std::vector<std::string>{"tx7"});
}

TEST_F(SqlLinkStates, ACommitThatDidNotHappenIsDoneAgain) {
  const auto link = join();
  server_.fates = {"aborted"};
  add_with(*link, Fault::LostBefore);
  must(link->flush());
  EXPECT_EQ(stored(), 1U);
}

TEST_F(SqlLinkStates, AnIdGivenToAnotherTransactionIsNotTakenForOurs) {
  const auto link = join();
  server_.fates = {"committed"};
  add_with(*link, Fault::LostBefore);
  must(link->flush());
  EXPECT_EQ(stored(), 1U);
}

TEST_F(SqlLinkStates, ATransactionInProgressIsAskedAboutAgain) {
  const auto link = join();
  server_.fates = {"in progress", "in progress", "committed"};
  add_with(*link, Fault::LostAfter);
  must(link->flush());
  EXPECT_EQ(stored(), 1U);
  EXPECT_EQ(server_.asked.size(), 3U);
}

TEST_F(SqlLinkStates, AnErrorIsToldOnceAndThenTheNextCallTriesAgain) {
  const auto link = join();
  add_with(*link, Fault::Refused);
  const Result<StudyNews> refused = link->take();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().what, "the disk is full");
  EXPECT_EQ(stored(), 0U);
  EXPECT_TRUE(must(link->take()).trials.empty());
  EXPECT_EQ(stored(), 1U);
  EXPECT_TRUE(server_.asked.empty()) << "a commit that was refused has not happened";
  must(link->give({.added = {busy_trial(1)}}));
  must(link->flush());
  EXPECT_EQ(stored(), 2U);
}

TEST_F(SqlLinkStates, FlushTellsAnErrorAndTheNextFlushStores) {
  const auto link = join();
  add_with(*link, Fault::Refused);
  EXPECT_FALSE(link->flush());
  must(link->flush());
  EXPECT_EQ(stored(), 1U);
}

TEST_F(SqlLinkStates, AServerThatStaysAwayIsAnErrorAndNothingIsForgotten) {
  const auto link = join(/*patience=*/0.05);
  server_.down = true;
  server_.fates = {"aborted"};
  add_with(*link, Fault::LostBefore);
  const Status lost = link->flush();
  ASSERT_FALSE(lost);
  EXPECT_NE(to_string(lost.error()).find("tried again for 0.05 s"), std::string::npos)
      << to_string(lost.error());
  EXPECT_FALSE(link->flush()) << "it is still away";
  server_.down = false;
  must(link->flush());
  EXPECT_EQ(stored(), 1U);
}

TEST_F(SqlLinkStates, ALossWhileLockingIsNoError) {
  const auto link = join();
  must(store_->append("s", {busy_trial(0)}));
  server_.lose_next_lock = true;
  EXPECT_EQ(must(link->take()).trials.size(), 1U);
  must(link->give({}));
}

TEST_F(SqlLinkStates, WhatOthersDidWhileItWasLostIsTold) {
  const auto link = join();
  server_.fates = {"aborted"};
  server_.when_lost = [this] { must(store_->append("s", {busy_trial(5)})); };
  add_with(*link, Fault::LostBefore);
  const StudyNews news = must(link->take());
  ASSERT_EQ(news.trials.size(), 1U);
  EXPECT_EQ(news.trials[0].system.at("from"), "5");
  must(link->give({}));
  EXPECT_EQ(stored(), 2U);
}

TEST_F(SqlLinkStates, AStudyIsFreeAfterNothingWasGiven) {
  const auto link = join();
  const auto other = join();
  must(link->take());
  must(link->give({}));
  must(other->take());
  must(other->give({.added = {busy_trial(0)}}));
  must(other->flush());
  EXPECT_EQ(must(link->take()).trials.size(), 1U);
  must(link->give({}));
}

TEST_F(SqlLinkStates, ReportsAfterTheLastGiveAreStoredWhenTheLinkGoes) {
  {
    const auto link = join();
    must(link->take());
    must(link->give({.added = {Trial{.number = 0}}}));
    must(link->report(0, 3, 0.5));
  }
  const std::map<std::int64_t, double> expected = {{3, 0.5}};
  EXPECT_EQ(must(store_->read("s")).trials.at(0).reports, expected);
}

TEST_F(SqlLinkStates, ALinkThatCouldNotStoreGoesWithoutTryingAgain) {
  {
    const auto link = join();
    add_with(*link, Fault::Refused);
  }
  EXPECT_EQ(stored(), 0U);
}

}  // namespace
}  // namespace chop
