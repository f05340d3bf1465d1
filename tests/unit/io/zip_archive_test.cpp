// Zip archives: what honest ones hold, and the lies of the others.
#include "io/archives/zip_archive.hpp"

#include <gtest/gtest.h>

#include "unit/io/zip_builder.hpp"

namespace chop {
namespace {

using testing::deflated;
using testing::stored;
using testing::zip_of;
using testing::ZipPart;

Result<ZipArchive> parse(const std::string& bytes, const ZipLimits& limits = {}) {
  return ZipArchive::parse(std::as_bytes(std::span(bytes)), "x.zip", limits);
}

void expect_refused(const std::vector<ZipPart>& parts, const std::string& why,
                    const ZipLimits& limits = {}) {
  const std::string bytes = zip_of(parts);
  const Result<ZipArchive> archive = parse(bytes, limits);
  ASSERT_FALSE(archive) << why;
  EXPECT_EQ(archive.error().what, "'x.zip' is not a readable zip archive: " + why);
}

TEST(ZipArchive, StoredAndDeflatedEntriesAreRead) {
  const std::string text(10'000, 'a');
  const std::string bytes = zip_of({stored("a/b", "hello"), deflated("c", text), stored("e", "")});
  const auto archive = parse(bytes);
  ASSERT_TRUE(archive) << to_string(archive.error());
  ASSERT_EQ(archive.value().entries().size(), 3U);
  EXPECT_EQ(archive.value().read(*archive.value().find("a/b")).value(), "hello");
  EXPECT_EQ(archive.value().read(*archive.value().find("c")).value(), text);
  EXPECT_EQ(archive.value().read(*archive.value().find("e")).value(), "");
  EXPECT_EQ(archive.value().find("nothing"), nullptr);
}

TEST(ZipArchive, NamesThatLeadElsewhereAreRefused) {
  expect_refused({stored("../up", "x")}, "entry '../up' leads out of the archive with '..'");
  expect_refused({stored("a/../../up", "x")},
                 "entry 'a/../../up' leads out of the archive with '..'");
  expect_refused({stored("a/..", "x")}, "entry 'a/..' leads out of the archive with '..'");
  expect_refused({stored("/root", "x")}, "entry '/root' has an absolute path");
  expect_refused({stored("a\\b", "x")}, "entry 'a\\b' has a backslash in its name");
  expect_refused({stored("C:x", "x")}, "entry 'C:x' names a drive in its path");
  expect_refused({stored("", "x")}, "an entry has no name");
  EXPECT_TRUE(parse(zip_of({stored("a..b/...", "x")})));
}

TEST(ZipArchive, ANameGivenTwiceIsRefused) {
  expect_refused({stored("a", "x"), stored("a", "y")}, "two entries are named 'a'");
}

TEST(ZipArchive, EncryptedEntriesAndOtherPackingsAreRefused) {
  ZipPart secret = stored("s", "x");
  secret.flags = 1;
  expect_refused({secret}, "entry 's' is encrypted");
  ZipPart other = stored("b", "x");
  other.method = 12;
  expect_refused({other}, "entry 'b' is packed by method 12; stored and deflated entries are read");
}

TEST(ZipArchive, ZipBombsAreRefusedBeforeUnpacking) {
  ZipPart claim = deflated("zeros", std::string(1000, '\0'));
  claim.size = 0xFFFFFFF0;
  expect_refused({claim}, "entry 'zeros' claims 4294967280 bytes packed in " +
                              std::to_string(claim.claimed_packed));
  ZipPart stored_lie = stored("s", "abc");
  stored_lie.size = 5000;
  expect_refused({stored_lie}, "entry 's' is stored as it is, but claims 5000 bytes in 3");
  const std::vector<ZipPart> honest = {deflated("zeros", std::string(1 << 20, '\0'))};
  const std::string size = std::to_string(zip_of(honest).size());
  expect_refused(
      honest,
      "it would unpack to more than 5000 bytes, and the archive has " + size + ": a zip bomb",
      {.expansion = 2, .free_bytes = 5000});
}

TEST(ZipArchive, EntriesThatShareTheirBytesAreRefused) {
  ZipPart wide = deflated("a", "x");
  wide.claimed_packed = 100'000;
  wide.size = 100'000;
  const std::string size = std::to_string(zip_of({wide}).size());
  expect_refused({wide}, "its entries claim more packed bytes than the " + size +
                             " of the archive, so that they overlap");
}

TEST(ZipArchive, DamagedBytesAreNoticed) {
  ZipPart wrong = stored("a", "hello");
  wrong.crc ^= 1;
  const std::string bytes = zip_of({wrong});
  const auto archive = parse(bytes);
  ASSERT_TRUE(archive);
  const auto read = archive.value().read(archive.value().entries()[0]);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().what,
            "'x.zip' is not a readable zip archive: entry 'a' is damaged (its checksum differs)");
  ZipPart short_one = deflated("b", std::string(100, 'b'));
  short_one.size = 101;
  const std::string cut = zip_of({short_one});
  const auto shorter = parse(cut);
  ASSERT_TRUE(shorter);
  EXPECT_FALSE(shorter.value().read(shorter.value().entries()[0]));
}

TEST(ZipArchive, EveryTruncationIsAnError) {
  const std::string whole = zip_of({stored("a", "hello"), deflated("b", std::string(50, 'b'))});
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const std::string cut = whole.substr(0, size);
    EXPECT_FALSE(parse(cut)) << size;
  }
}

}  // namespace
}  // namespace chop
