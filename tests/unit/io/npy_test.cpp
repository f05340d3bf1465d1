// .npy and .npz: what is written comes back, and no header is believed blindly.
#include "io/npy.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "io/npz.hpp"
#include "support/system/files.hpp"
#include "unit/io/temp_folder.hpp"
#include "unit/io/zip_builder.hpp"

namespace chop {
namespace {

using testing::TempFolder;

Result<Tensor> parse(const std::string& bytes) {
  return parse_npy(std::as_bytes(std::span(bytes)), "x.npy");
}

/// A version 1 file with this header and data.
std::string file(const std::string& header, const std::string& data) {
  return std::string("\x93NUMPY\x01\x00", 8) + static_cast<char>(header.size() & 0xFF) +
         static_cast<char>(header.size() >> 8) + header + data;
}

void expect_error(const std::string& bytes, const std::string& part) {
  const Result<Tensor> result = parse(bytes);
  ASSERT_FALSE(result) << part;
  EXPECT_NE(to_string(result.error()).find(part), std::string::npos) << to_string(result.error());
}

TEST(Npy, EveryDTypeAndShapeComesBackToTheLastBit) {
  for (const DType dtype : {DType::F32, DType::F64, DType::F16, DType::I64, DType::I32, DType::I16,
                            DType::I8, DType::U8, DType::Bool}) {
    for (const Shape& shape :
         {Shape{}, Shape{0}, Shape{1}, Shape{5}, Shape{2, 3}, Shape{2, 0, 3}}) {
      Tensor tensor(dtype, shape);
      for (std::size_t i = 0; i < tensor.size_in_bytes(); ++i)
        tensor.mutable_bytes()[i] = static_cast<std::byte>(dtype == DType::Bool ? i % 2 : 37 * i);
      const std::string bytes = format_npy(tensor).value();
      EXPECT_EQ((bytes.size() - tensor.size_in_bytes()) % 64, 0U);
      const Result<Tensor> again = parse(bytes);
      ASSERT_TRUE(again) << to_string(again.error());
      EXPECT_EQ(again.value(), tensor) << name_of(dtype) << to_string(shape);
    }
  }
}

TEST(Npy, FortranOrderIsTurnedIntoCOrder) {
  const std::string data = {0, 3, 1, 4, 2, 5};
  const Result<Tensor> tensor =
      parse(file("{'descr': '|u1', 'fortran_order': True, 'shape': (2, 3), }\n", data));
  ASSERT_TRUE(tensor) << to_string(tensor.error());
  EXPECT_EQ(tensor.value(), Tensor::of<std::uint8_t>({2, 3}, {0, 1, 2, 3, 4, 5}));
}

TEST(Npy, KeysMayComeInAnyOrderAndBooleansBecomeZeroOrOne) {
  const Result<Tensor> tensor =
      parse(file("{\"shape\":(3,),'fortran_order':False,'descr':'|b1'}", {0, 2, 1}));
  ASSERT_TRUE(tensor) << to_string(tensor.error());
  EXPECT_EQ(tensor.value(), Tensor::of<bool>({3}, {false, true, true}));
}

TEST(Npy, LongHeadersOfVersionsTwoAndThreeAreRead) {
  const std::string header = "{'descr': '|i1', 'fortran_order': False, 'shape': (2,)}";
  for (const char version : {'\x02', '\x03'}) {
    std::string bytes = "\x93NUMPY";
    bytes += version;
    bytes += std::string("\0", 1) + static_cast<char>(header.size()) + std::string("\0\0\0", 3) +
             header + "\x01\x02";
    const Result<Tensor> tensor = parse(bytes);
    ASSERT_TRUE(tensor) << to_string(tensor.error());
    EXPECT_EQ(tensor.value(), Tensor::of<std::int8_t>({2}, {1, 2}));
  }
}

TEST(Npy, EveryTruncationIsAnError) {
  const std::string whole = format_npy(Tensor::of<float>({3}, {1, 2, 3})).value();
  for (std::size_t size = 0; size < whole.size(); ++size)
    EXPECT_FALSE(parse(whole.substr(0, size))) << size;
  EXPECT_FALSE(parse(whole + "x"));
}

TEST(Npy, HeadersThatDoNotFitTheDataAreErrors) {
  const std::string half = "{'descr': '<f4', 'fortran_order': False, 'shape': ";
  expect_error("PK\x03\x04 this is a zip", "does not begin with \\x93NUMPY");
  expect_error(file(half + "(1000000000000,)}", "abcd"), "bytes of data follow");
  expect_error(file(half + "(4611686018427387904, 4611686018427387904, 0)}", ""), "bytes of data");
  expect_error(file(half + "(99999999999999999999,)}", ""), "not a dictionary");
  expect_error(file(half + "(-1,)}", ""), "not a dictionary");
  expect_error(file("{'descr': '<f4', 'shape': (1,)}", "abcd"), "not a dictionary");
  expect_error(file(half + "(1,), 'shape': (1,)}", "abcd"), "not a dictionary");
  expect_error(file(half + "(1,)} x", "abcd"), "not a dictionary");
  expect_error(file("", ""), "not a dictionary");
  expect_error(file("{'descr': [", ""), "not a dictionary");
  std::string claims = file(half + "(1,)}", "abcd");
  claims[9] = '\x7F';
  expect_error(claims, "its header claims");
  claims[6] = 9;
  expect_error(claims, "format version is 9");
}

TEST(Npy, UnsupportedTypesSayWhatWouldWork) {
  const std::string rest = "', 'fortran_order': False, 'shape': (1,)}";
  expect_error(file("{'descr': '>f4" + rest, "abcd"), "astype('<f4')");
  expect_error(file("{'descr': '|O" + rest, "abcd"), "never loaded");
  expect_error(file("{'descr': '<c8" + rest, "abcdabcd"), "unsupported type '<c8'");
  expect_error(file("{'descr': '" + rest, "abcdabcd"), "unsupported type ''");
  expect_error(file("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,)}", "abcd"),
               "a structured type");
  EXPECT_FALSE(format_npy(Tensor(DType::BF16, {2})));
}

TEST(Npy, AMissingFileIsNamed) {
  const Result<Tensor> result = read_npy("/nowhere/x.npy");
  ASSERT_FALSE(result);
  EXPECT_NE(result.error().what.find("/nowhere/x.npy"), std::string::npos);
}

TEST(Npz, TensorsComeBackInOrderAndTheBytesAreTheSameEachTime) {
  const TempFolder folder;
  const NpzArrays tensors = {{"x", Tensor::of<float>({2, 2}, {1, -0.0F, 3e38F, 4})},
                             {"a/b", Tensor::of<std::int64_t>({0}, {})},
                             {"y", Tensor::of<std::int64_t>({2}, {-1, 7})}};
  ASSERT_TRUE(write_npz(folder / "a.npz", tensors));
  ASSERT_TRUE(write_npz(folder / "b.npz", tensors));
  EXPECT_EQ(read_file(folder / "a.npz").value(), read_file(folder / "b.npz").value());
  const Result<NpzArrays> again = read_npz(folder / "a.npz");
  ASSERT_TRUE(again) << to_string(again.error());
  EXPECT_EQ(again.value(), tensors);
}

TEST(Npz, OnlyTheRowsThatAreAskedForAreRead) {
  const TempFolder folder;
  const std::string x = format_npy(Tensor::full({400'000, 16}, 1)).value();
  const std::string y = format_npy(Tensor::of<std::int64_t>({3}, {0, 1, 2})).value();
  EXPECT_EQ(parse_npy(std::as_bytes(std::span(x)), "x.npy", 5).value(), Tensor::full({5, 16}, 1));
  // The checksum is that of all rows: it can be wrong unnoticed when they are not unpacked.
  testing::ZipPart part = testing::deflated("x.npy", x);
  part.crc ^= 1;
  const auto path = folder.write("a.npz", testing::zip_of({part, testing::deflated("y.npy", y)}));
  EXPECT_FALSE(read_npz(path));
  const Result<NpzArrays> arrays = read_npz(path, 5);
  ASSERT_TRUE(arrays) << to_string(arrays.error());
  EXPECT_EQ(arrays.value()[0].second, Tensor::full({5, 16}, 1));
  EXPECT_EQ(arrays.value()[1].second.shape(), Shape{3});
}

TEST(Npz, AnArchiveThatWouldUnpackToAThousandTimesItsSizeIsRefused) {
  const TempFolder folder;
  const std::string npy = format_npy(Tensor::full({280'000'000 / 4}, 0)).value();
  const auto path = folder.write("bomb.npz", testing::zip_of({testing::deflated("x.npy", npy)}));
  const auto arrays = read_npz(path);
  ASSERT_FALSE(arrays);
  EXPECT_NE(arrays.error().what.find("a zip bomb"), std::string::npos) << arrays.error().what;
  EXPECT_NE(arrays.error().hint.find("numpy.savez, not"), std::string::npos) << arrays.error().hint;
}

TEST(Npz, DamageIsAnErrorAndNeverACrash) {
  const TempFolder folder;
  ASSERT_TRUE(write_npz(folder / "a.npz", {{"x", Tensor::of<float>({3}, {1, 2, 3})}}));
  const std::string whole = read_file(folder / "a.npz").value();
  for (std::size_t size = 0; size < whole.size(); size += 7)
    EXPECT_FALSE(read_npz(folder.write("cut.npz", whole.substr(0, size)))) << size;
  const std::size_t data = whole.find("NUMPY") + 125;
  for (std::size_t at = data; at < data + 8; ++at) {
    std::string flipped = whole;
    flipped[at] = static_cast<char>(flipped[at] ^ 0x40);
    EXPECT_FALSE(read_npz(folder.write("flipped.npz", flipped))) << at;
  }
  EXPECT_FALSE(read_npz(folder.write("text.npz", "hello")));
  EXPECT_FALSE(read_npz(folder.path()));
}

TEST(Npz, TwoArraysOfOneNameCannotBeWritten) {
  const TempFolder folder;
  EXPECT_FALSE(write_npz(folder / "a.npz", {{"x", Tensor()}, {"x", Tensor()}}));
  EXPECT_FALSE(std::filesystem::exists(folder / "a.npz"));
}

}  // namespace
}  // namespace chop
