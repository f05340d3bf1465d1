// Files: whole, mapped, written beside and renamed; errors that name the file.
#include "support/system/files.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <optional>

#include "support/system/temporary_file.hpp"
#include "support/text.hpp"

namespace chop {
namespace {

namespace fs = std::filesystem;

class Files : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "chop_files_XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::size_t entries() const {
    std::size_t count = 0;
    for ([[maybe_unused]] const auto& entry : fs::directory_iterator(folder_)) ++count;
    return count;
  }

  fs::path folder_;
};

TEST_F(Files, WhatIsWrittenIsRead) {
  const std::string contents("a\0b\r\n\xFF", 6);
  ASSERT_TRUE(write_file(folder_ / "deep" / "er" / "file", contents));
  EXPECT_EQ(read_file(folder_ / "deep" / "er" / "file").value(), contents);
  ASSERT_TRUE(write_file(folder_ / "empty", std::string_view()));
  EXPECT_EQ(read_file(folder_ / "empty").value(), "");
}

TEST_F(Files, MappedBytesAreTheFile) {
  ASSERT_TRUE(write_file(folder_ / "file", "hello"));
  const MappedFile file = MappedFile::open(folder_ / "file").value();
  ASSERT_EQ(file.bytes().size(), 5U);
  EXPECT_EQ(static_cast<char>(file.bytes()[4]), 'o');
  ASSERT_TRUE(write_file(folder_ / "file", "other"));
  EXPECT_EQ(static_cast<char>(file.bytes()[0]), 'h') << "a view outlives the file's replacement";
  ASSERT_TRUE(write_file(folder_ / "empty", std::string_view()));
  EXPECT_TRUE(MappedFile::open(folder_ / "empty").value().bytes().empty());
}

TEST_F(Files, AFailedWriteKeepsTheOldFileAndLeavesNothingBeside) {
  const fs::path path = folder_ / "file";
  ASSERT_TRUE(write_file(path, "old"));
  const Status status = write_file(path, [](std::ostream& out) {
    out << "half of the new";
    return false;
  });
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().what, cat("cannot write '", path.string(), "': writing was broken off"));
  EXPECT_EQ(read_file(path).value(), "old");
  EXPECT_EQ(entries(), 1U);
}

TEST_F(Files, AFullDiskIsAnErrorThatSaysSoAndTheDeviceStays) {
  if (!fs::is_character_file("/dev/full")) GTEST_SKIP() << "no /dev/full here";
  const Status status = write_file("/dev/full", "new");
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().what, "cannot write '/dev/full': No space left on device");
  EXPECT_EQ(status.error().hint, "the disk is full; free some space and try again");
  EXPECT_TRUE(fs::is_character_file("/dev/full"));
}

TEST_F(Files, ALinkStaysALink) {
  const fs::path target = folder_ / "target";
  const fs::path link = folder_ / "link";
  ASSERT_TRUE(write_file(target, "old"));
  fs::create_symlink(target, link);
  ASSERT_TRUE(write_file(link, "new"));
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_EQ(read_file(target).value(), "new");
}

TEST_F(Files, MissingFilesAndFoldersAreNamed) {
  const auto missing = read_file(folder_ / "nowhere");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().what,
            cat("cannot read '", (folder_ / "nowhere").string(), "': No such file or directory"));
  EXPECT_FALSE(missing.error().hint.empty());
  EXPECT_EQ(read_file(folder_).error().what,
            cat("'", folder_.string(), "' is a folder, not a file"));
  EXPECT_EQ(MappedFile::open(folder_).error().what,
            cat("'", folder_.string(), "' is not a regular file"));
  EXPECT_FALSE(MappedFile::open(folder_ / "nowhere"));
}

TEST_F(Files, OpeningAPipeDoesNotBlock) {
  const fs::path pipe = folder_ / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_FALSE(MappedFile::open(pipe));
}

TEST_F(Files, APipeIsNotReadAsAFile) {
  const fs::path pipe = folder_ / "pipe.toml";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_EQ(read_file(pipe).error().what, cat("'", pipe.string(), "' is not a regular file"));
  EXPECT_EQ(read_file("/dev/zero").error().what, "'/dev/zero' is not a regular file");
}

TEST_F(Files, WhatAKilledWriterLeftIsRemovedByTheNext) {
  const fs::path stray = folder_ / "file.tmp-abcdefghijkl";
  const fs::path young = folder_ / "file.tmp-mnopqrstuvwx";
  const fs::path other = folder_ / "other.tmp-abcdefghijkl";
  for (const fs::path& path : {stray, young, other}) ASSERT_TRUE(write_file(path, "half"));
  const auto hour_ago = fs::file_time_type::clock::now() - std::chrono::hours(1);
  fs::last_write_time(stray, hour_ago);
  fs::last_write_time(other, hour_ago);
  ASSERT_TRUE(write_file(folder_ / "file", "whole"));
  EXPECT_FALSE(fs::exists(stray));
  EXPECT_TRUE(fs::exists(young)) << "its writer may be about to lock it";
  EXPECT_TRUE(fs::exists(other)) << "it belongs to another file";
}

TEST_F(Files, AFolderIsTidiedOfWhatKilledWritersLeft) {
  const std::string dead = "file.tmp2147483647-3";  // more than any process's number
  const std::string living = cat("file.tmp", ::getpid(), "-3");
  for (const std::string& name : {std::string("deep/file.tmp-abcdefghijkl"), dead, living,
                                  std::string("file.tmp-my-own-backup"), std::string("a.tmp1-b")}) {
    ASSERT_TRUE(write_file(folder_ / name, "half"));
    fs::last_write_time(folder_ / name, fs::file_time_type::clock::now() - std::chrono::hours(1));
  }
  ASSERT_TRUE(write_file(folder_ / "deep" / "file.tmp-mnopqrstuvwx", "young"));
  support::remove_temporary_files(folder_, support::OtherWriters::Possible);
  EXPECT_FALSE(fs::exists(folder_ / "deep" / "file.tmp-abcdefghijkl"));
  EXPECT_FALSE(fs::exists(folder_ / dead));
  EXPECT_TRUE(fs::exists(folder_ / living));
  EXPECT_TRUE(fs::exists(folder_ / "file.tmp-my-own-backup"));
  EXPECT_TRUE(fs::exists(folder_ / "a.tmp1-b"));
  EXPECT_TRUE(fs::exists(folder_ / "deep" / "file.tmp-mnopqrstuvwx"));
  support::remove_temporary_files(folder_, support::OtherWriters::None);
  EXPECT_FALSE(fs::exists(folder_ / "deep" / "file.tmp-mnopqrstuvwx"));
  support::remove_temporary_files(folder_ / "nowhere", support::OtherWriters::None);
}

TEST_F(Files, AFileOfTheUsersOwnWithASimilarNameStays) {
  const auto hour_ago = fs::file_time_type::clock::now() - std::chrono::hours(1);
  for (const char* name : {"file.tmp-my-own-backup", "file.tmp-abcdefghijk",
                           "file.tmp-ABCDEFGHIJKL", "file.tmp-abcdefghijklm", "file.tmp"}) {
    ASSERT_TRUE(write_file(folder_ / name, "precious"));
    fs::last_write_time(folder_ / name, hour_ago);
  }
  ASSERT_TRUE(write_file(folder_ / "file", "whole"));
  EXPECT_EQ(entries(), 6U);
}

TEST_F(Files, AWriterThatIsStillAtWorkKeepsItsFile) {
  const fs::path path = folder_ / "file";
  const Status status = write_file(path, [&](std::ostream& out) {
    for (const auto& entry : fs::directory_iterator(folder_))
      fs::last_write_time(entry.path(), fs::file_time_type::clock::now() - std::chrono::hours(1));
    EXPECT_TRUE(write_file(path, "of another"));
    out << "slow";
    return out.good();
  });
  ASSERT_TRUE(status);
  EXPECT_EQ(read_file(path).value(), "slow");
}

TEST_F(Files, ALinkPlantedUnderAGuessedNameIsNotFollowed) {
  const fs::path victim = folder_ / "victim";
  ASSERT_TRUE(write_file(victim, "precious"));
  for (int i = 0; i < 50; ++i)
    fs::create_symlink(victim, folder_ / cat("file.tmp", ::getpid(), "-", i));
  ASSERT_TRUE(write_file(folder_ / "file", "new"));
  EXPECT_EQ(read_file(victim).value(), "precious");
  EXPECT_FALSE(fs::is_symlink(folder_ / "file"));
}

TEST_F(Files, AFileInTheWayOfAFolderIsAnError) {
  ASSERT_TRUE(write_file(folder_ / "file", "contents"));
  const Status status = ensure_writable_folder(folder_ / "file");
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().what,
            cat("cannot create folder '", (folder_ / "file").string(), "': Not a directory"));
  EXPECT_FALSE(write_file(folder_ / "file" / "below", "x"));
  EXPECT_EQ(read_file(folder_ / "file").value(), "contents");
}

TEST_F(Files, AFolderInTheWayOfAFileIsAnError) {
  fs::create_directory(folder_ / "taken");
  EXPECT_FALSE(write_file(folder_ / "taken", "x"));
  EXPECT_EQ(entries(), 1U);
}

TEST_F(Files, UnwritableAndImpossibleFoldersAreErrorsNotExceptions) {
  EXPECT_FALSE(ensure_writable_folder(folder_ / std::string(300, 'x')));
  EXPECT_FALSE(write_file(folder_ / std::string(300, 'x') / "file", "x"));
  EXPECT_FALSE(write_file(fs::path("/proc/nowhere/file"), "x"));
}

TEST_F(Files, AFolderWithoutPermissionToWriteIsAnError) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may write anywhere";
  fs::permissions(folder_, fs::perms::owner_read | fs::perms::owner_exec);
  const Status status = ensure_writable_folder(folder_);
  fs::permissions(folder_, fs::perms::owner_all);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().hint, "check the permissions of the file and its folder");
}

/// Gives an environment variable its value back at the end of a test.
class KeptVariable {
 public:
  explicit KeptVariable(const char* name) : name_(name) {
    if (const char* value = std::getenv(name)) value_ = value;
  }
  KeptVariable(const KeptVariable&) = delete;
  KeptVariable& operator=(const KeptVariable&) = delete;
  ~KeptVariable() { value_ ? ::setenv(name_, value_->c_str(), 1) : ::unsetenv(name_); }

 private:
  const char* name_;
  std::optional<std::string> value_;
};

TEST(CacheFolder, FollowsItsVariable) {
  const KeptVariable own("CH_CACHE_DIR");
  ::setenv("CH_CACHE_DIR", "/somewhere", 1);
  EXPECT_EQ(cache_folder(), "/somewhere");
  ::unsetenv("CH_CACHE_DIR");
  EXPECT_EQ(cache_folder().filename(), "chop");
}

TEST(CacheFolder, IsNeverOneThatOthersMayWriteTo) {
  const KeptVariable own("CH_CACHE_DIR");
  const KeptVariable xdg("XDG_CACHE_HOME");
  const KeptVariable home("HOME");
  ::unsetenv("CH_CACHE_DIR");
  ::unsetenv("XDG_CACHE_HOME");
  for (const bool is_set : {false, true}) {
    is_set ? ::setenv("HOME", "", 1) : ::unsetenv("HOME");
    EXPECT_TRUE(cache_folder().is_absolute());
    EXPECT_FALSE(cache_folder().string().starts_with("/tmp"));
  }
}

}  // namespace
}  // namespace chop
