// What is SQLite's own: files that are wrong, killed processes, heartbeats.
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "search/store/sql/heartbeat.hpp"
#include "support/stores.hpp"

namespace chop {
namespace {

using testing::busy_trial;
using testing::expect_same;
using testing::must;
using testing::TempFolder;

std::string what_of(const std::string& url, Create create = Create::Yes) {
  const Result<std::unique_ptr<StudyStore>> store = open_store(url, create);
  return store ? "opened" : to_string(store.error());
}

bool mentions(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

/// A store in the folder with a study "s" of two objectives.
std::unique_ptr<StudyStore> new_study(const TempFolder& folder) {
  auto store = must(open_store((folder / "study.db").string()));
  must(store->create({.name = "s", .directions = {Direction::Minimise, Direction::Minimise}}));
  return store;
}

TEST(SqliteStore, SpellingsOfOneFile) {
  const TempFolder folder;
  const auto store = new_study(folder);
  const std::string path = (folder / "study.db").string();
  for (const std::string& url : {path, "sqlite:///" + path})
    EXPECT_TRUE(must(must(open_store(url))->find("s"))) << url;
}

TEST(SqliteStore, AWrongPathIsAnErrorThatSaysWhatIsWrong) {
  const TempFolder folder;
  const std::string missing = (folder / "none.db").string();
  EXPECT_TRUE(mentions(what_of(missing, Create::No), "there is no file"));
  EXPECT_FALSE(std::filesystem::exists(missing));
  EXPECT_TRUE(mentions(what_of((folder / "no/study.db").string()), "there is no folder"));
  EXPECT_TRUE(mentions(what_of(folder.path().string()), "is a folder"));
  EXPECT_TRUE(mentions(what_of("sqlite:///"), "names no file"));
  EXPECT_TRUE(mentions(what_of("mysql://host/db"), "sqlite:///study.db"));
  const std::string text = folder.write("notes.db", std::string(5000, 'x')).string();
  EXPECT_TRUE(mentions(what_of(text), "is no SQLite database"));
  const std::string empty = folder.write("empty.db", "").string();
  EXPECT_TRUE(mentions(what_of(empty, Create::No), "there are no studies"));
  EXPECT_EQ(what_of(empty), "opened");
}

TEST(SqliteStore, PasswordsAreNotShown) {
  EXPECT_EQ(shown_url("postgresql://me:secret@host:5432/db"), "postgresql://me@host:5432/db");
  EXPECT_EQ(shown_url("postgresql://me:se@c/ret@host/db"), "postgresql://me@host/db");
  EXPECT_EQ(shown_url("postgresql://host:5432/db"), "postgresql://host:5432/db");
  EXPECT_EQ(shown_url("postgresql:///db?host=/tmp&password=secret&user=me"),
            "postgresql:///db?host=/tmp&password=***&user=me");
  EXPECT_EQ(shown_url("postgresql:///db?sslpassword=one&password=two"),
            "postgresql:///db?sslpassword=***&password=***");
  EXPECT_EQ(shown_url("postgres:me:secret@host"), "postgres:me@host");
  EXPECT_EQ(shown_url("postgresql:/me:secret@host/db"), "postgresql:/me@host/db");
  EXPECT_EQ(shown_url("sqlite:///a@b:c.db"), "sqlite:///a@b:c.db");
  EXPECT_EQ(shown_url("host=a password=b user=c"), "host=a password=*** user=c");
  EXPECT_EQ(shown_url("password = 'b \\' c' host=a"), "password = *** host=a");
  EXPECT_EQ(shown_url("host= password=b sslpassword=c\\ d"), "host= password=*** sslpassword=***");
  EXPECT_EQ(shown_url("dbname=x password='open"), "dbname=x password=***");
  EXPECT_EQ(shown_url("dbname=x password="), "dbname=x password=***");
  EXPECT_EQ(shown_url("PASSWORD=b host=a"), "PASSWORD=*** host=a");
  EXPECT_EQ(shown_url("sqlite:///x.db?Password=b&mode=ro"), "sqlite:///x.db?Password=***&mode=ro");
  EXPECT_EQ(shown_url("x.db?password=b"), "x.db?password=***");
  EXPECT_EQ(shown_url("passwd=b host=a"), "passwd=*** host=a");
  EXPECT_EQ(shown_url("me:se:c@ret@host/db"), "me@host/db");
  EXPECT_EQ(shown_url("lab/a:b@c.db"), "lab/a:b@c.db");
}

TEST(SqliteStore, AnAddressWithoutASchemeIsNoFileName) {
  const Error error = open_store("me:secret@host/db").error();
  EXPECT_EQ(error.what, "'me@host/db' has a user and a password, but no scheme");
  EXPECT_NE(error.hint.find("postgresql://"), std::string::npos);
}

TEST(SqliteStore, AWordAndAValueAreNoFileName) {
  EXPECT_TRUE(search::is_keyword_address("host=a dbname=b"));
  EXPECT_TRUE(search::is_keyword_address(" service = lab"));
  EXPECT_TRUE(search::is_keyword_address("passwd=b host=a"));
  EXPECT_FALSE(search::is_keyword_address("trials=20.db"));
  EXPECT_FALSE(search::is_keyword_address("host.db"));
  EXPECT_FALSE(search::is_keyword_address("sqlite:///host=a"));
}

TEST(SqliteStore, AKilledProcessLosesNothingItHeardWasStored) {
  const TempFolder folder;
  const auto store = new_study(folder);
  int told[2];
  ASSERT_EQ(::pipe(told), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const auto session = must(must(open_store((folder / "study.db").string()))->join("s", {}));
    for (std::int64_t i = 0;; ++i) {
      must(session->begin());
      // begin() came back: all that was given before is stored.
      if (::write(told[1], &i, sizeof i) != sizeof i) ::_exit(1);
      must(session->commit({.added = {busy_trial(i)}}));
    }
  }
  ::close(told[1]);
  std::int64_t stored = 0;
  while (stored <= 10 && ::read(told[0], &stored, sizeof stored) == sizeof stored) {
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(50));  // now somewhere in the middle
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  while (::read(told[0], &stored, sizeof stored) == sizeof stored) {
  }
  ::close(told[0]);
  const Study study = must(must(open_store((folder / "study.db").string()))->read("s"));
  EXPECT_GT(stored, 10);
  EXPECT_GE(static_cast<std::int64_t>(study.trials.size()), stored);
  EXPECT_LE(static_cast<std::int64_t>(study.trials.size()), stored + 1);
  for (const Trial& trial : study.trials) {
    Trial expected = busy_trial(trial.number);
    expected.started = trial.started;
    expected.completed = trial.completed;
    expect_same(trial, expected);
  }
}

TEST(SqliteStore, HeartbeatsMayBeAsSeldomAsOneLikes) {
  EXPECT_EQ(clock_seconds(0.5), std::chrono::milliseconds(500));
  EXPECT_GT(clock_seconds(1e300), std::chrono::hours(24));
}

TEST(SqliteStore, TrialsWithoutHeartbeatsAreNeverStale) {
  const TempFolder folder;
  const auto store = new_study(folder);
  must(store->append("s", {busy_trial(0, TrialState::Running)}));
  const auto session = must(store->join("s", {.heartbeat = 0.1, .grace = 0.0001}));
  EXPECT_TRUE(must(session->begin()).stale.empty());
  must(session->commit({}));
}

TEST(SqliteStore, ReportsAreWrittenSoonWithoutBeingAskedFor) {
  const TempFolder folder;
  const auto store = new_study(folder);
  const auto session = must(store->join("s", {.heartbeat = 0}));
  must(session->begin());
  must(session->commit({.added = {Trial{.number = 0}}}));
  must(session->flush());
  must(session->report(0, 3, 0.5));
  for (int i = 0; i < 100; ++i) {
    if (!must(store->read("s")).trials.at(0).reports.empty()) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  FAIL() << "the report never came";
}

TEST(SqliteStore, AParameterThatIsNoneOfItsChoicesIsAnError) {
  for (const double value : {6.0, -1.0, 0.5, std::nan("")}) {
    const TempFolder folder;
    const auto store = new_study(folder);
    Trial trial = busy_trial(0);
    trial.parameters[0].value = value;
    must(store->append("s", {trial}));
    const Result<Study> study = store->read("s");
    ASSERT_FALSE(study) << value;
    EXPECT_TRUE(mentions(to_string(study.error()), "is none of [2, 4, 8.5"));
    EXPECT_TRUE(mentions(to_string(study.error()), "parameter 'layer/width' of trial 0"));
  }
}

/// Two sessions of a study whose file goes after the first trial.
struct LosesItsFile : ::testing::Test {
  LosesItsFile() {
    add(*one_, busy_trial(0));
    add(*two_, busy_trial(1));
  }
  static void add(StudySession& session, const Trial& trial) {
    must(session.begin());
    must(session.commit({.added = {trial}}));
    must(session.flush());
  }
  std::filesystem::path file() const { return folder_ / "study.db"; }
  std::size_t stored(const std::filesystem::path& file) {
    return must(must(open_store(file.string(), Create::No))->read("s")).trials.size();
  }

  TempFolder folder_;
  std::unique_ptr<StudyStore> store_ = new_study(folder_);
  std::unique_ptr<StudySession> one_ = must(store_->join("s", {}));
  std::unique_ptr<StudySession> two_ = must(store_->join("s", {}));
};

TEST_F(LosesItsFile, AndItIsWrittenAnewWithEverythingInIt) {
  std::filesystem::remove(file());
  add(*one_, busy_trial(2));
  add(*two_, busy_trial(3));
  add(*one_, busy_trial(4));
  EXPECT_EQ(stored(file()), 5U);
}

TEST_F(LosesItsFile, WithItsFolder) {
  std::filesystem::remove_all(file().parent_path());
  add(*two_, busy_trial(2));
  add(*one_, busy_trial(3));
  EXPECT_EQ(stored(file()), 4U);
}

TEST_F(LosesItsFile, AfterTheLastTrial) {
  std::filesystem::remove(file());
  must(one_->flush());
  EXPECT_EQ(stored(file()), 2U);
}

TEST_F(LosesItsFile, AndAnotherStudyIsInItsPlace) {
  for (const char* end : {"", "-wal", "-shm"}) std::filesystem::remove(file().string() + end);
  const auto other = must(open_store(file().string(), Create::Yes));
  must(other->create({.name = "other", .directions = {Direction::Minimise}}));
  add(*one_, busy_trial(2));
  add(*two_, busy_trial(3));
  EXPECT_EQ(must(other->list()).size(), 1U);
  EXPECT_EQ(stored(file().string() + ".kept"), 4U);
}

TEST_F(LosesItsFile, AndAnotherIsMadeBesideItsLog) {
  std::filesystem::remove(file());  // but not -wal and -shm, which are by name
  const auto other = must(open_store(file().string(), Create::Yes));
  must(other->create({.name = "other", .directions = {Direction::Minimise}}));
  must(other->append("other", {Trial{.number = 0}}));
  add(*one_, busy_trial(2));
  add(*two_, busy_trial(3));
  must(other->append("other", {Trial{.number = 1}}));
  EXPECT_EQ(must(other->list()).size(), 1U);
  EXPECT_EQ(must(must(open_store(file().string()))->read("other")).trials.size(), 2U);
  EXPECT_EQ(stored(file().string() + ".kept"), 4U);
}

TEST_F(LosesItsFile, AndAnotherIsMovedBesideItsLog) {
  const std::string moved = (folder_ / "moved.db").string();
  must(must(open_store(moved))->create({.name = "other", .directions = {Direction::Minimise}}));
  std::filesystem::rename(moved, file());
  add(*two_, busy_trial(2));
  add(*one_, busy_trial(3));
  EXPECT_EQ(stored(file().string() + ".kept"), 4U);
  const auto other = must(open_store(file().string(), Create::No));
  must(other->append("other", {Trial{.number = 0}}));
  EXPECT_EQ(must(other->list()).size(), 1U);
}

TEST_F(LosesItsFile, AndATrialOutOfTurnIsAnError) {
  must(one_->begin());
  const Status status = one_->commit({.added = {busy_trial(7)}});
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().what, "trial 7 cannot be added to a study of 2 trials");
  add(*one_, busy_trial(2));
  EXPECT_EQ(stored(file()), 3U);
}

TEST_F(LosesItsFile, AndItCannotBeWrittenAgain) {
  std::filesystem::remove_all(file().parent_path());
  std::ofstream(file().parent_path()) << "a file in the way";
  const Result<StudyUpdates> updates = one_->begin();
  std::filesystem::remove(file().parent_path());
  ASSERT_FALSE(updates);
  EXPECT_TRUE(mentions(to_string(updates.error()), "cannot create folder"));
}

TEST(SqliteStore, ADeletedStudyIsAnErrorForThoseInIt) {
  const TempFolder folder;
  const auto store = new_study(folder);
  const auto session = must(store->join("s", {}));
  must(store->remove("s"));
  const Result<StudyUpdates> updates = session->begin();
  ASSERT_FALSE(updates);
  EXPECT_TRUE(mentions(updates.error().what, "was deleted"));
}

TEST(SqliteStore, WhatCannotBeStoredStaysAndIsTriedAgain) {
  const TempFolder folder;
  const auto store = new_study(folder);
  const auto session = must(store->join("s", {.heartbeat = 0}));
  must(session->begin());
  must(session->commit({.added = {busy_trial(0)}}));
  must(session->flush());
  // As full as a disk can be: no file may grow.
  struct rlimit before {};
  ::getrlimit(RLIMIT_FSIZE, &before);
  ::signal(SIGXFSZ, SIG_IGN);
  const struct rlimit full { 4096, before.rlim_max };
  must(session->begin());
  ::setrlimit(RLIMIT_FSIZE, &full);
  must(session->commit({.added = {busy_trial(1)}}));
  const Result<StudyUpdates> updates = session->begin();
  ::setrlimit(RLIMIT_FSIZE, &before);
  ::signal(SIGXFSZ, SIG_DFL);
  ASSERT_FALSE(updates);
  EXPECT_TRUE(mentions(to_string(updates.error()), "full")) << to_string(updates.error());
  must(session->begin());
  must(session->commit({.added = {busy_trial(2)}}));
  must(session->flush());
  EXPECT_EQ(must(store->read("s")).trials.size(), 3U);
}

}  // namespace
}  // namespace chop
