// safetensors: the published rules, one by one.
#include "io/safetensors.hpp"

#include <gtest/gtest.h>

#include "support/system/files.hpp"
#include "unit/io/temp_folder.hpp"

namespace chop {
namespace {

using testing::TempFolder;

std::string with_length(const std::string& header, const std::string& data) {
  std::string bytes(8, '\0');
  for (std::size_t i = 0; i < 8; ++i) bytes[i] = static_cast<char>(header.size() >> (8 * i) & 0xFF);
  return bytes + header + data;
}

Result<SafetensorsView> parse(const std::string& bytes) {
  return SafetensorsView::parse(std::as_bytes(std::span(bytes)), "x.safetensors");
}

void expect_error(const std::string& header, const std::string& data, const std::string& part) {
  const std::string bytes = with_length(header, data);
  const Result<SafetensorsView> result = parse(bytes);
  ASSERT_FALSE(result) << header;
  EXPECT_NE(result.error().what.find(part), std::string::npos) << to_string(result.error());
}

SafetensorsFile sample() {
  return {.metadata = {{"graph", "{\"a\": \"\\u00e9\n\"}"}, {"empty", ""}},
          .tensors = {{"bytes", Tensor::of<std::uint8_t>({3}, {1, 2, 3})},
                      {"w", Tensor::of<float>({2, 2}, {1, -0.0F, 3, 4})},
                      {"none", Tensor(DType::F32, {0, 7})},
                      {"scalar", Tensor::scalar(2.5, DType::F64)},
                      {"half", Tensor::full({3}, 0.5, DType::BF16)},
                      {"flag", Tensor::of<bool>({2}, {true, false})}}};
}

TEST(Safetensors, EverythingComesBackInOrder) {
  const TempFolder folder;
  const SafetensorsFile file = sample();
  ASSERT_TRUE(write_safetensors(folder / "a.safetensors", file));
  const Result<SafetensorsFile> again = read_safetensors(folder / "a.safetensors");
  ASSERT_TRUE(again) << to_string(again.error());
  EXPECT_EQ(again.value().metadata, file.metadata);
  EXPECT_EQ(again.value().tensors, file.tensors);
}

TEST(Safetensors, TheSameContentsGiveTheSameBytesAndEveryTensorIsAligned) {
  const TempFolder folder;
  ASSERT_TRUE(write_safetensors(folder / "a", sample()));
  ASSERT_TRUE(write_safetensors(folder / "b", sample()));
  const std::string bytes = read_file(folder / "a").value();
  EXPECT_EQ(bytes, read_file(folder / "b").value());
  const Result<SafetensorsView> view = parse(bytes);
  ASSERT_TRUE(view);
  for (const SafetensorsEntry& entry : view.value().entries()) {
    const auto at = static_cast<std::size_t>(entry.bytes.data() -
                                             reinterpret_cast<const std::byte*>(bytes.data()));
    EXPECT_EQ(at % size_of(entry.dtype), 0U) << entry.name;
  }
  EXPECT_EQ(view.value().find("w")->shape, (Shape{2, 2}));
  EXPECT_EQ(view.value().find("v"), nullptr);
}

TEST(Safetensors, EveryTruncationIsAnError) {
  const TempFolder folder;
  ASSERT_TRUE(write_safetensors(folder / "a", sample()));
  const std::string whole = read_file(folder / "a").value();
  for (std::size_t size = 0; size < whole.size(); ++size)
    EXPECT_FALSE(parse(whole.substr(0, size))) << size;
  EXPECT_FALSE(parse(whole + "x"));
}

TEST(Safetensors, AnEmptyFileOfTensorsIsFine) {
  EXPECT_TRUE(parse(with_length("{}", "")));
  EXPECT_TRUE(parse(with_length("{}      ", "")));
  EXPECT_TRUE(parse(with_length(R"({"__metadata__":{"a":"b"}})", "")));
}

TEST(Safetensors, HeadersThatDoNotFitTheFileAreErrors) {
  std::string huge = with_length("{}", "");
  huge[7] = '\x7F';
  EXPECT_NE(parse(huge).error().what.find("more than 100 MB"), std::string::npos);
  huge[7] = 0;
  huge[0] = 3;
  EXPECT_NE(parse(huge).error().what.find("only 2 follow"), std::string::npos);
  EXPECT_FALSE(parse("short"));
  expect_error(" {}", "", "JSON object");
  expect_error("[]", "", "JSON object");
  expect_error("{", "", "JSON object");
  expect_error("{\"a\":1}{}", "", "JSON object");
  expect_error(std::string(100'000, '['), "", "JSON object");
  expect_error("{\"a\":" + std::string(100'000, '['), "", "JSON object");
}

TEST(Safetensors, TensorsThatDoNotFitAreErrors) {
  const auto one = [](const std::string& dtype, const std::string& shape, const std::string& at) {
    return R"({"a":{"dtype":")" + dtype + R"(","shape":)" + shape + R"(,"data_offsets":)" + at +
           "}}";
  };
  EXPECT_TRUE(parse(with_length(one("F32", "[1]", "[0,4]"), "abcd")));
  expect_error(one("F32", "[1]", "[0,4]"), "abc", "leave the 3 bytes");
  expect_error(one("F32", "[1]", "[4,0]"), "abcd", "leave the 4 bytes");
  expect_error(one("F32", "[2]", "[0,4]"), "abcd", "does not take 4 bytes");
  expect_error(one("F33", "[1]", "[0,4]"), "abcd", "F33 is not supported");
  expect_error(one("F32", "[-1]", "[0,4]"), "abcd", "not a list of whole numbers");
  expect_error(one("F32", "[1.5]", "[0,4]"), "abcd", "not a list of whole numbers");
  expect_error(one("F32", "[1]", "[0,4,4]"), "abcd", "not two whole numbers");
  expect_error(one("F32", "[1]", "[0]"), "abcd", "not two whole numbers");
  expect_error(one("F32", "[1]", "[0,18446744073709551615]"), "abcd",
               "its header: 18446744073709551615 does not fit 64 bits");
  expect_error(one("F32", "[1]", "[0,4.0]"), "abcd", "not two whole numbers");
  expect_error(one("F32", "[[]]", "[0,4]"), "abcd", "not a list of whole numbers");
  expect_error(one("F32", "[[1]]", "[0,4]"), "abcd", "JSON object");
  expect_error(one("F32", "[4611686018427387904,4611686018427387904,0]", "[0,0]"), "",
               "does not take 0 bytes");
  expect_error(one("F32", "[1]", "[0,4]"), "abcde", "end at data byte 4");
  expect_error(R"({"a":{"dtype":"U8","shape":[1]}})", "a", "needs exactly dtype");
  expect_error(R"({"a":7})", "a", "needs exactly dtype");
  expect_error(R"({"a":{"dtype":8,"shape":[1],"data_offsets":[0,1]}})", "a", "not a text");
}

TEST(Safetensors, OverlapsHolesAndRepeatedKeysAreErrors) {
  const auto two = [](const std::string& a, const std::string& first, const std::string& b,
                      const std::string& second) {
    return R"({")" + a + R"(":{"dtype":"U8","shape":[2],"data_offsets":)" + first + R"(},")" + b +
           R"(":{"dtype":"U8","shape":[2],"data_offsets":)" + second + "}}";
  };
  EXPECT_TRUE(parse(with_length(two("a", "[2,4]", "b", "[0,2]"), "abcd")));
  expect_error(two("a", "[0,2]", "b", "[1,3]"), "abc", "share the data byte 1");
  expect_error(two("a", "[0,2]", "b", "[3,5]"), "abcde", "belong to no tensor");
  expect_error(two("a", "[1,3]", "b", "[3,5]"), "abcde", "belong to no tensor");
  expect_error(two("a", "[0,2]", "a", "[2,4]"), "abcd", "every key once");
  expect_error(R"({"__metadata__":{"a":"1","a":"2"}})", "", "every key once");
  expect_error(R"({"__metadata__":{"a":1}})", "", "not a text");
  expect_error(R"({"__metadata__":"a"})", "", "not an object");
}

TEST(Safetensors, NamesThatCannotBeWrittenAreErrorsAndLeaveNoFile) {
  const TempFolder folder;
  const auto path = folder / "a.safetensors";
  EXPECT_FALSE(write_safetensors(path, {.metadata = {}, .tensors = {{"a", {}}, {"a", {}}}}));
  EXPECT_FALSE(write_safetensors(path, {.metadata = {}, .tensors = {{"__metadata__", {}}}}));
  EXPECT_FALSE(write_safetensors(path, {.metadata = {}, .tensors = {{"\xFF\xFE", {}}}}));
  EXPECT_FALSE(write_safetensors(path, {.metadata = {{"k", "\xC3"}}, .tensors = {}}));
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(Safetensors, BytesThatAreNotUtf8AreNotAccepted) {
  expect_error("{\"__metadata__\":{\"a\":\"\xC3\"}}", "", "JSON object");
}

}  // namespace
}  // namespace chop
