// tar archives: files by name, and nothing a header claims is believed.
#include "io/archives/tar.hpp"

#include <gtest/gtest.h>

#include "unit/io/tar_builder.hpp"
#include "unit/io/temp_folder.hpp"

namespace chop {
namespace {

using testing::gzipped;
using testing::tar_of;
using testing::TarPart;
using testing::TempFolder;

Result<TarFiles> parse(const std::string& bytes, const TarOptions& options = {}) {
  return parse_tar(std::as_bytes(std::span(bytes)), "a.tar", options);
}

void expect_broken(const std::string& bytes, const std::string& part,
                   const TarOptions& options = {}) {
  const Result<TarFiles> files = parse(bytes, options);
  ASSERT_FALSE(files) << part;
  EXPECT_NE(files.error().what.find(part), std::string::npos) << files.error().what;
}

TEST(Tar, FilesAreReadByNamePlainAndGzipped) {
  const std::string bytes = tar_of({{.name = "d/", .type = '5'},
                                    {.name = "d/a", .bytes = "one"},
                                    {.name = "link", .type = '2'},
                                    {.name = "b", .bytes = std::string(512, 'x'), .prefix = "e"},
                                    {.name = "empty"}});
  for (const std::string& stored : {bytes, gzipped(bytes)}) {
    const Result<TarFiles> files = parse(stored);
    ASSERT_TRUE(files) << to_string(files.error());
    EXPECT_EQ(files.value(),
              (TarFiles{{"d/a", "one"}, {"e/b", std::string(512, 'x')}, {"empty", ""}}));
    EXPECT_EQ(parse(stored, {.files = {"b"}}).value().size(), 1U);
  }
  const TempFolder folder;
  EXPECT_TRUE(read_tar(folder.write("a.tar.gz", gzipped(bytes))));
  EXPECT_FALSE(read_tar(folder / "missing"));
}

TEST(Tar, EveryShorterArchiveIsAnErrorOrHasTheWholeFilesBeforeTheCut) {
  const std::string bytes = tar_of({{.name = "a", .bytes = "one"}, {.name = "b", .bytes = "two"}});
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    const Result<TarFiles> files = parse(bytes.substr(0, size));
    EXPECT_EQ(static_cast<bool>(files), size == 1024 || size == 2048 || size >= 2560) << size;
    if (files) {
      EXPECT_EQ(files.value().at("a"), "one");
    }
  }
  const std::string packed = gzipped(bytes);
  for (std::size_t size = 0; size < packed.size(); ++size) {
    const Result<TarFiles> files = parse(packed.substr(0, size));
    if (files) {  // the end of the archive was there
      EXPECT_EQ(files.value().size(), 2U) << size;
    }
  }
}

TEST(Tar, DamagedHeadersAreNoticed) {
  const std::string bytes = tar_of({{.name = "a", .bytes = "one"}});
  for (const std::size_t at : {0U, 3U, 124U, 130U, 148U, 156U, 300U, 511U}) {
    std::string flipped = bytes;
    flipped[at] ^= 1;
    expect_broken(flipped, "the header of entry 1 is damaged");
  }
  expect_broken("", "it holds nothing");
  expect_broken(std::string(1024, '\0'), "it holds nothing");
  expect_broken("abc", "it ends inside a header");
}

TEST(Tar, LengthsAreNotBelieved) {
  expect_broken(tar_of({{.name = "a", .bytes = "x", .size = "77777777777"}}),
                "would unpack to more than 268435456 bytes");
  expect_broken(tar_of({{.name = "a", .bytes = "x", .size = "00000007777"}}),
                "it ends inside entry 'a'");
  expect_broken(tar_of({{.name = "a", .bytes = "x", .size = "00010000000"}}),
                "has 2097152 bytes, and 1000 are the most that are read", {.largest = 1000});
  for (const char* size : {"-1", "9", "x", "\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF", " "})
    expect_broken(tar_of({{.name = "a", .size = size}}), "entry 'a' has no length");
  // A file that is passed over costs no memory, but counts.
  expect_broken(tar_of({{.name = "a", .bytes = "x", .size = "00777777777"}}),
                "it ends inside entry 'a'", {.files = {"b"}});
  for (const char type : {'1', '2', '3', '4', '5', '6'})
    expect_broken(tar_of({{.name = "a", .bytes = "x", .type = type}}), "is no file, but has bytes");
}

TEST(Tar, NamesThatLeadOutOfTheArchiveAreRefused) {
  for (const char* name : {"/etc/passwd", "../a", "a/../../b", "a\\b", "c:/a", ""})
    EXPECT_FALSE(parse(tar_of({{.name = name, .bytes = "x"}}))) << name;
  expect_broken(tar_of({{.name = "a", .bytes = "x", .prefix = ".."}}), "leads out of the archive");
  expect_broken(tar_of({{.name = "../a", .type = '2'}}), "leads out of the archive");
  expect_broken(tar_of({{.name = "a", .bytes = "x"}, {.name = "a", .bytes = "y"}}),
                "two entries are named 'a'");
}

TEST(Tar, AnArchiveThatWouldUnpackToAThousandTimesItsSizeIsRefused) {
  std::string bytes;
  for (int i = 0; i < 5; ++i)
    bytes += testing::tar_entry({.name = cat("a", i), .bytes = std::string(60'000'000, '\0')});
  expect_broken(gzipped(bytes), "entry 'a4' would unpack to more than", {.files = {"b"}});
}

}  // namespace
}  // namespace chop
