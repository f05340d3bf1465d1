#include "support/system/folder_lock.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <barrier>
#include <thread>

#include "unit/io/temp_folder.hpp"

namespace chop {
namespace {

namespace fs = std::filesystem;
using support::FolderLock;
using testing::TempFolder;
using Share = FolderLock::Share;

TEST(FolderLock, ASecondOneNamesTheFirst) {
  const TempFolder folder;
  const Result<FolderLock> first = FolderLock::take(folder / "a", "`ch train`");
  ASSERT_TRUE(first);
  const Result<FolderLock> second = FolderLock::take(folder / "a", "`ch sweep`", Share::No, "wait");
  ASSERT_FALSE(second);
  EXPECT_NE(second.error().what.find(cat("is in use by `ch train`, process ", ::getpid(), " on ")),
            std::string::npos)
      << second.error().what;
  EXPECT_EQ(second.error().hint, "wait");
  EXPECT_TRUE(FolderLock::take(folder / "b", "`ch train`"));
}

TEST(FolderLock, ItLeavesNothingBehindThatItMade) {
  const TempFolder folder;
  { ASSERT_TRUE(FolderLock::take(folder / "a" / "b", "x")); }
  EXPECT_FALSE(fs::exists(folder / "a"));
  {
    const Result<FolderLock> lock = FolderLock::take(folder / "a" / "b", "x");
    ASSERT_TRUE(lock);
    folder.write("a/kept", "");
  }
  EXPECT_TRUE(fs::exists(folder / "a" / "kept"));
  EXPECT_FALSE(fs::exists(folder / "a" / "b"));
}

TEST(FolderLock, OfManyThatWantANewFolderAtOnceOneGetsIt) {
  const TempFolder folder;
  for (int round = 0; round < 100; ++round) {
    const fs::path wanted = folder / "all" / std::to_string(round);
    std::barrier start(4);
    std::barrier end(4);
    std::atomic<int> taken = 0;
    std::atomic<int> refused = 0;
    {
      std::vector<std::jthread> threads;
      for (int i = 0; i < 4; ++i)
        threads.emplace_back([&] {
          start.arrive_and_wait();
          const auto lock = FolderLock::take_new(wanted, "inside", "x");
          refused += !lock;
          taken += lock && lock.value();
          end.arrive_and_wait();
        });
    }
    EXPECT_EQ(refused, 0);
    EXPECT_EQ(taken, 1);
    EXPECT_FALSE(fs::exists(wanted)) << "nothing was written";
  }
}

TEST(FolderLock, ANewFolderThatCannotBeMadeIsAnError) {
  const TempFolder folder;
  folder.write("file", "");
  const auto lock = FolderLock::take_new(folder / "file" / "a", "b", "x");
  ASSERT_FALSE(lock);
  EXPECT_NE(lock.error().what.find("cannot create folder"), std::string::npos) << lock.error().what;
}

TEST(FolderLock, WhereNoFolderCanBeMadeTheReasonIsThatOfItsParent) {
  const auto lock = FolderLock::take_new("/proc/none/a", "b", "x");
  ASSERT_FALSE(lock);
  EXPECT_NE(lock.error().what.find("cannot create folder '/proc/none'"), std::string::npos)
      << lock.error().what;
}

TEST(FolderLock, OnlyTheSamePurposeIsShared) {
  const TempFolder folder;
  Result<FolderLock> one = FolderLock::take(folder / "a", "study s", Share::SamePurpose);
  ASSERT_TRUE(one);
  {
    ASSERT_TRUE(FolderLock::take(folder / "a", "study s", Share::SamePurpose));
    EXPECT_FALSE(FolderLock::take(folder / "a", "study t", Share::SamePurpose));
    EXPECT_FALSE(FolderLock::take(folder / "a", "study s", Share::No));
  }
  EXPECT_TRUE(FolderLock::take(folder / "a", "study s", Share::SamePurpose));
  EXPECT_FALSE(FolderLock::take(folder / "a", "study t", Share::SamePurpose));
  { const Result<FolderLock> gone = std::move(one); }
  EXPECT_TRUE(FolderLock::take(folder / "a", "study t", Share::SamePurpose));
}

TEST(FolderLock, ItEndsWithItsProcess) {
  const TempFolder folder;
  const pid_t child = ::fork();
  if (child == 0) {
    const Result<FolderLock> lock = FolderLock::take(folder / "a", "x");
    ::kill(::getpid(), SIGKILL);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_TRUE(fs::exists(folder / "a" / ".lock"));
  EXPECT_TRUE(FolderLock::take(folder / "a", "y"));
}

TEST(FolderLock, AFolderThatWasRemovedIsMadeAndLockedAnew) {
  const TempFolder folder;
  Result<FolderLock> lock = FolderLock::take(folder / "a", "x");
  ASSERT_TRUE(lock);
  EXPECT_FALSE(lock.value().restore().value());
  fs::remove_all(folder / "a");
  EXPECT_TRUE(lock.value().restore().value());
  EXPECT_FALSE(FolderLock::take(folder / "a", "y"));
  fs::remove(folder / "a" / ".lock");
  EXPECT_FALSE(lock.value().restore().value()) << "the folder is the same, with what is in it";
  EXPECT_TRUE(fs::exists(folder / "a" / ".lock"));
  EXPECT_FALSE(FolderLock::take(folder / "a", "y"));
  fs::remove_all(folder / "a");
  fs::create_directory(folder / "a");
  EXPECT_TRUE(lock.value().restore().value()) << "it is another folder of that name";
  fs::remove_all(folder / "a");
  const Result<FolderLock> other = FolderLock::take(folder / "a", "y");
  ASSERT_TRUE(other);
  EXPECT_FALSE(lock.value().restore());
}

}  // namespace
}  // namespace chop
