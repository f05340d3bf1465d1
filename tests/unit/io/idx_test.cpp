// idx and CIFAR-10 batches: dimensions must account for every byte.
#include "io/tables/idx.hpp"

#include <gtest/gtest.h>
#include <zlib.h>

#include "io/tables/cifar10.hpp"
#include "support/system/files.hpp"
#include "unit/io/temp_folder.hpp"

namespace chop {
namespace {

using testing::TempFolder;

std::string idx(char type, const std::vector<unsigned>& dims, const std::string& data) {
  std::string bytes = {0, 0, type, static_cast<char>(dims.size())};
  for (const unsigned dim : dims)
    for (const int shift : {24, 16, 8, 0}) bytes += static_cast<char>(dim >> shift & 0xFF);
  return bytes + data;
}

TEST(Idx, BytesAndBigEndianNumbersAreRead) {
  const TempFolder folder;
  const Result<Tensor> bytes = read_idx(folder.write("a", idx(0x08, {2, 3}, "abcdef")));
  ASSERT_TRUE(bytes) << to_string(bytes.error());
  EXPECT_EQ(bytes.value(), Tensor::of<std::uint8_t>({2, 3}, {'a', 'b', 'c', 'd', 'e', 'f'}));
  const Result<Tensor> reals =
      read_idx(folder.write("b", idx(0x0D, {1}, std::string("\x3F\x80\x00\x00", 4))));
  ASSERT_TRUE(reals);
  EXPECT_EQ(reals.value(), Tensor::of<float>({1}, {1}));
  const Result<Tensor> shorts =
      read_idx(folder.write("c", idx(0x0B, {2}, std::string("\x01\x02\xFF\xFE", 4))));
  ASSERT_TRUE(shorts);
  EXPECT_EQ(shorts.value(), Tensor::of<std::int16_t>({2}, {258, -2}));
}

TEST(Idx, GzippedFilesAreReadAndDamageIsNoticed) {
  const TempFolder folder;
  const std::string data(10'000, 'x');
  const std::string bytes = idx(0x08, {100, 100}, data);
  const auto path = folder / "a.gz";
  gzFile file = gzopen(path.c_str(), "wb");
  ASSERT_EQ(gzwrite(file, bytes.data(), static_cast<unsigned>(bytes.size())),
            static_cast<int>(bytes.size()));
  gzclose(file);
  const Result<Tensor> tensor = read_idx(path);
  ASSERT_TRUE(tensor) << to_string(tensor.error());
  EXPECT_EQ(tensor.value().shape(), (Shape{100, 100}));
  EXPECT_EQ(tensor.value().data<std::uint8_t>()[9'999], 'x');

  const std::string packed = read_file(path).value();
  for (std::size_t size = 0; size < packed.size(); ++size)
    EXPECT_FALSE(read_idx(folder.write("cut.gz", packed.substr(0, size)))) << size;
  std::string flipped = packed;
  flipped[packed.size() - 7] ^= 1;  // in the checksum
  EXPECT_FALSE(read_idx(folder.write("flipped.gz", flipped)));
}

TEST(Idx, AFileThatWouldUnpackToAThousandTimesItsSizeIsRefused) {
  const TempFolder folder;
  const auto path = folder / "bomb.gz";
  const std::string header = idx(0x08, {300, 1000, 1000}, "");
  const std::string zeros(1'000'000, '\0');
  gzFile file = gzopen(path.c_str(), "wb");
  gzwrite(file, header.data(), static_cast<unsigned>(header.size()));
  for (int i = 0; i < 300; ++i) gzwrite(file, zeros.data(), static_cast<unsigned>(zeros.size()));
  gzclose(file);
  const Result<Tensor> tensor = read_idx(path);
  ASSERT_FALSE(tensor);
  EXPECT_NE(tensor.error().what.find("[300, 1000, 1000] need 300000000 bytes, and the file has"),
            std::string::npos)
      << tensor.error().what;
}

TEST(Idx, OnlyTheRowsThatAreAskedForAreRead) {
  const std::string bytes = idx(0x0B, {2, 3}, "abcdefghijkl");
  const auto all = std::as_bytes(std::span(bytes));
  EXPECT_EQ(parse_idx(all, "x", 1).value().shape(), (Shape{1, 3}));
  EXPECT_EQ(parse_idx(all, "x", 9).value(), parse_idx(all, "x").value());
  EXPECT_TRUE(parse_idx(all.first(18), "x", 1));
  EXPECT_FALSE(parse_idx(all.first(17), "x", 1));
}

TEST(Idx, DimensionsThatDoNotFitTheFileAreErrors) {
  const TempFolder folder;
  const auto fails = [&](const std::string& bytes, const std::string& part) {
    const Result<Tensor> result = read_idx(folder.write("x", bytes));
    ASSERT_FALSE(result) << part;
    EXPECT_NE(result.error().what.find(part), std::string::npos) << to_string(result.error());
  };
  fails("", "ends inside the header");
  fails("abcd", "magic number");
  fails(idx(0x07, {1}, "a"), "magic number");
  fails(idx(0x08, {}, ""), "magic number");
  fails(idx(0x08, {1, 2}, "").substr(0, 9), "ends inside the header");
  fails(idx(0x08, {2, 3}, "abcde"), "need 6 bytes, but only 5 follow");
  fails(idx(0x08, {2, 3}, "abcdefg"), "leave bytes over");
  fails(idx(0x08, {0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF}, "a"), "impossible");
  fails(idx(0x08, {0xFFFFFFFF, 0xFFFF}, "a"), "only 1 follow");
  EXPECT_FALSE(read_idx(folder / "missing"));
}

TEST(Idx, EveryShorterFileIsAnError) {
  const std::string bytes = idx(0x0B, {2, 3}, "abcdefghijkl");
  const auto all = std::as_bytes(std::span(bytes));
  EXPECT_TRUE(parse_idx(all, "memory"));
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    const Result<Tensor> cut = parse_idx(all.first(size), "memory");
    ASSERT_FALSE(cut) << size;
    const std::string part = size < 12 ? "ends inside the header"
                                       : cat("need 12 bytes, but only ", size - 12, " follow");
    EXPECT_EQ(cut.error().what, cat("'memory' is not a readable idx file: ",
                                    size < 12 ? "it " : "its dimensions [2, 3] ", part));
  }
}

TEST(Idx, GzippedMembersFollowOneAnother) {
  const TempFolder folder;
  const std::string bytes = idx(0x08, {4}, "abcd");
  std::string packed;
  for (const std::string& part : {bytes.substr(0, 6), bytes.substr(6)}) {
    const auto path = folder / "part.gz";
    gzFile file = gzopen(path.c_str(), "wb");
    gzwrite(file, part.data(), static_cast<unsigned>(part.size()));
    gzclose(file);
    packed += read_file(path).value();
  }
  const Result<Tensor> tensor = parse_idx(std::as_bytes(std::span(packed)), "memory");
  ASSERT_TRUE(tensor) << to_string(tensor.error());
  EXPECT_EQ(tensor.value(), Tensor::of<std::uint8_t>({4}, {'a', 'b', 'c', 'd'}));
}

TEST(Cifar10, RecordsAreSplitIntoLabelsAndPixels) {
  const TempFolder folder;
  std::string bytes;
  for (const char label : {'\x03', '\x09'})
    bytes += std::string(1, label) + std::string(1024, '\x01') + std::string(2048, label);
  const Result<Cifar10Batch> batch = read_cifar10(folder.write("b.bin", bytes));
  ASSERT_TRUE(batch) << to_string(batch.error());
  EXPECT_EQ(batch.value().labels, Tensor::of<std::int64_t>({2}, {3, 9}));
  EXPECT_EQ(batch.value().images.shape(), (Shape{2, 3, 32, 32}));
  EXPECT_EQ(batch.value().images.at(3072), 1);
  EXPECT_EQ(batch.value().images.at(6143), 9);
}

TEST(Cifar10, OddSizesAndLabelsAreErrors) {
  const TempFolder folder;
  EXPECT_FALSE(read_cifar10(folder.write("b.bin", "")));
  EXPECT_FALSE(read_cifar10(folder.write("b.bin", std::string(3072, 'x'))));
  EXPECT_FALSE(read_cifar10(folder.write("b.bin", std::string(3073, '\x0A'))));
}

}  // namespace
}  // namespace chop
