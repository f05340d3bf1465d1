#include "report/tensorboard.hpp"

#include <gtest/gtest.h>

#include <unistd.h>

#include <filesystem>
#include <limits>

#include "support/system/files.hpp"

namespace chop {
namespace {

namespace fs = std::filesystem;

class EventFile : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) /
              ("chop_events_" + std::to_string(::getpid()) +
               testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::remove_all(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }
  fs::path folder_;
};

TEST(Crc32c, HasThePublishedValues) {
  EXPECT_EQ(crc32c(""), 0u);
  EXPECT_EQ(crc32c("123456789"), 0xe3069283u);
  // RFC 3720, B.4.
  EXPECT_EQ(crc32c(std::string(32, '\0')), 0x8a9136aau);
  EXPECT_EQ(crc32c(std::string(32, '\xff')), 0x62a8ab43u);
}

TEST(Record, FramesItsDataWithTwoChecksums) {
  const std::string record = encode_record("abc");
  ASSERT_EQ(record.size(), 8u + 4 + 3 + 4);
  EXPECT_EQ(record.substr(0, 8), std::string("\x03\0\0\0\0\0\0\0", 8));
  EXPECT_EQ(record.substr(12, 3), "abc");
  const auto crc_at = [&record](std::size_t at) {
    std::uint32_t crc = 0;
    for (std::size_t i = 0; i < 4; ++i)
      crc |= static_cast<std::uint32_t>(static_cast<unsigned char>(record[at + i])) << (8 * i);
    return crc;
  };
  EXPECT_EQ(crc_at(8), masked_crc32c(record.substr(0, 8)));
  EXPECT_EQ(crc_at(15), masked_crc32c("abc"));
}

TEST(Record, FirstEventNamesTheFileVersion) {
  EXPECT_EQ(encode_file_version_event(1.0),
            std::string("\x09\0\0\0\0\0\0\xf0\x3f\x1a\x0d", 11) + "brain.Event:2");
}

TEST_F(EventFile, NamesItselfAsTensorBoardExpects) {
  Result<EventWriter> writer = EventWriter::open(folder_);
  ASSERT_TRUE(writer) << to_string(writer.error());
  const std::string name = writer.value().path().filename().string();
  EXPECT_TRUE(name.starts_with("events.out.tfevents.")) << name;
  EXPECT_TRUE(name.ends_with("." + std::to_string(::getpid()))) << name;
}

TEST_F(EventFile, ShowsEachValueAtOnce) {
  Result<EventWriter> writer = EventWriter::open(folder_);
  ASSERT_TRUE(writer);
  const auto before = fs::file_size(writer.value().path());
  ASSERT_TRUE(writer.value().add_scalar("val_loss_epoch", 0.5, 3));
  EXPECT_GT(fs::file_size(writer.value().path()), before);
}

TEST_F(EventFile, TwoWritersOfOneProcessDoNotShareAFile) {
  Result<EventWriter> a = EventWriter::open(folder_);
  Result<EventWriter> b = EventWriter::open(folder_);
  ASSERT_TRUE(a && b);
  EXPECT_NE(a.value().path(), b.value().path());
}

TEST_F(EventFile, AFolderThatCannotBeMadeIsAnError) {
  ASSERT_TRUE(write_file(folder_ / "file", "x"));
  EXPECT_FALSE(EventWriter::open(folder_ / "file" / "logs"));
}

TEST_F(EventFile, VersionsCountUpFromTheLargest) {
  EXPECT_EQ(create_version_folder(folder_).value().filename(), "version_0");
  EXPECT_EQ(create_version_folder(folder_).value().filename(), "version_1");
  fs::create_directory(folder_ / "version_7");
  fs::create_directory(folder_ / "version_x");
  EXPECT_EQ(create_version_folder(folder_).value().filename(), "version_8");
}

TEST(Yaml, QuotesOnlyWhatWouldBeReadAsSomethingElse) {
  const std::vector<std::pair<std::string, Cell>> entries = {
      {"model", "jsc-tiny"},
      {"learning_rate", 1e-5},
      {"weight_decay", 0.0},
      {"batch_size", 256},
      {"nesterov", true},
      {"load_name", Cell()},
      {"precision", "32"},
      {"answer", "No"},
      {"note", "a: b #c\n\"d\""},
      {"path", "/tmp/x.toml"},
      {"empty", ""},
      {"inf", std::numeric_limits<double>::infinity()}};
  EXPECT_EQ(to_yaml(entries),
            "model: jsc-tiny\n"
            "learning_rate: 1.0e-05\n"
            "weight_decay: 0.0\n"
            "batch_size: 256\n"
            "nesterov: true\n"
            "load_name: null\n"
            "precision: \"32\"\n"
            "answer: \"No\"\n"
            "note: \"a: b #c\\n\\\"d\\\"\"\n"
            "path: /tmp/x.toml\n"
            "empty: \"\"\n"
            "inf: .inf\n");
}

}  // namespace
}  // namespace chop
