// Tensors as values: sharing until written, conversions, equality to the bit.
#include "tensor/tensor.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>

namespace chop {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

TEST(Tensor, StartsAsZerosAlignedTo64Bytes) {
  const Tensor tensor(DType::F64, {3, 5});
  EXPECT_EQ(tensor.size(), 15);
  EXPECT_EQ(tensor.size_in_bytes(), 120U);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(tensor.bytes()) % 64, 0U);
  for (const double value : tensor.data<double>()) EXPECT_EQ(value, 0.0);
}

TEST(Tensor, ScalarsAndEmptyTensorsHaveOneAndNoElements) {
  EXPECT_EQ(Tensor::scalar(2.5).size(), 1);
  EXPECT_EQ(Tensor::scalar(2.5).rank(), 0);
  EXPECT_EQ(Tensor(DType::F32, {4, 0, 3}).size(), 0);
  EXPECT_EQ(Tensor().size(), 0);
  EXPECT_EQ(Tensor(DType::F32, {0}), Tensor());
}

TEST(Tensor, CopiesShareTheirBytesUntilOneIsWritten) {
  Tensor original = Tensor::of<float>({2}, {1.0F, 2.0F});
  Tensor copy = original;
  EXPECT_EQ(copy.bytes(), original.bytes());
  copy.mutable_data<float>()[0] = 7.0F;
  EXPECT_NE(copy.bytes(), original.bytes());
  EXPECT_EQ(original.data<float>()[0], 1.0F);
  EXPECT_EQ(copy.data<float>()[0], 7.0F);
  const std::byte* place = original.bytes();
  original.mutable_data<float>()[1] = 3.0F;
  EXPECT_EQ(original.bytes(), place) << "a tensor nobody shares is written in place";
}

TEST(Tensor, ReshapedSharesBytesAndKeepsElements) {
  const Tensor tensor = Tensor::of<std::int32_t>({2, 3}, {1, 2, 3, 4, 5, 6});
  const Tensor flat = tensor.reshaped({6});
  EXPECT_EQ(flat.bytes(), tensor.bytes());
  EXPECT_EQ(flat.shape(), Shape{6});
  EXPECT_EQ(flat.at(5), 6.0);
  EXPECT_NE(flat, tensor);
}

TEST(Tensor, NegativeAxesCountFromTheEnd) {
  const Tensor tensor(DType::F32, {2, 3, 4});
  EXPECT_EQ(tensor.dim(0), 2);
  EXPECT_EQ(tensor.dim(-1), 4);
  EXPECT_EQ(tensor.dim(-3), 2);
}

TEST(Tensor, EqualityIsOfDtypeShapeAndBits) {
  EXPECT_EQ(Tensor::scalar(kNan), Tensor::scalar(kNan));
  EXPECT_NE(Tensor::scalar(0.0), Tensor::scalar(-0.0));
  EXPECT_NE(Tensor::scalar(1.0, DType::F32), Tensor::scalar(1.0, DType::F64));
  EXPECT_NE(Tensor::full({1}, 1.0), Tensor::scalar(1.0));
  EXPECT_NE(Tensor::full({2, 0}, 1.0), Tensor::full({0, 2}, 1.0));
}

TEST(Tensor, RealsBecomeWholeNumbersTowardZeroAndWithinRange) {
  const Tensor reals = Tensor::of<double>({8}, {2.9, -2.9, 300.0, -300.0, kNan, kInf, -kInf, -0.0});
  const Tensor bytes = reals.to(DType::I8);
  const std::vector<std::int8_t> expected = {2, -2, 127, -128, 0, 127, -128, 0};
  for (std::size_t i = 0; i < expected.size(); ++i)
    EXPECT_EQ(bytes.data<std::int8_t>()[i], expected[i]) << i;
  EXPECT_EQ(reals.to(DType::U8).data<std::uint8_t>()[1], 0);
  EXPECT_EQ(reals.to(DType::U8).data<std::uint8_t>()[2], 255);
  const Tensor wide = reals.to(DType::I64);
  EXPECT_EQ(wide.data<std::int64_t>()[5], std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(wide.data<std::int64_t>()[6], std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(Tensor::scalar(1e300, DType::I64).data<std::int64_t>()[0],
            std::numeric_limits<std::int64_t>::max());
}

TEST(Tensor, AnythingButZeroIsTrue) {
  const Tensor flags = Tensor::of<double>({4}, {0.0, -0.0, 1e-300, kNan}).to(DType::Bool);
  EXPECT_FALSE(flags.data<bool>()[0]);
  EXPECT_FALSE(flags.data<bool>()[1]);
  EXPECT_TRUE(flags.data<bool>()[2]);
  EXPECT_TRUE(flags.data<bool>()[3]);
}

TEST(Tensor, LargeWholeNumbersAreConvertedWithoutAnotherRounding) {
  constexpr std::int64_t kBig = (std::int64_t{1} << 62) + 1;
  const Tensor big = Tensor::of<std::int64_t>({1}, {kBig});
  EXPECT_EQ(big.to(DType::I64), big);
  EXPECT_EQ(big.to(DType::I32).data<std::int32_t>()[0], std::numeric_limits<std::int32_t>::max());
  // Just above the middle of two floats; a double in between would make it the middle.
  constexpr std::int64_t kAboveTie = (std::int64_t{1} << 60) + (std::int64_t{1} << 36) + 1;
  const Tensor above = Tensor::of<std::int64_t>({1}, {kAboveTie});
  EXPECT_EQ(above.to(DType::F32).at(0), 0x1p60 + 0x1p37);
  constexpr std::int64_t kAboveBfloatTie = (std::int64_t{1} << 60) + (std::int64_t{1} << 52) + 1;
  const Tensor rough = Tensor::of<std::int64_t>({2}, {kAboveBfloatTie, -kAboveBfloatTie});
  EXPECT_EQ(rough.to(DType::BF16).at(0), 0x1p60 + 0x1p53);
  EXPECT_EQ(rough.to(DType::BF16).at(1), -0x1p60 - 0x1p53);
  EXPECT_EQ(rough.to(DType::F16).at(1), -kInf);
}

TEST(Tensor, NarrowingToFloatKeepsSpecialValues) {
  const Tensor reals = Tensor::of<double>({5}, {kNan, kInf, -kInf, -0.0, 1e300}).to(DType::F32);
  EXPECT_TRUE(std::isnan(reals.at(0)));
  EXPECT_EQ(reals.at(1), kInf);
  EXPECT_EQ(reals.at(2), -kInf);
  EXPECT_TRUE(std::signbit(reals.at(3)));
  EXPECT_EQ(reals.at(4), kInf);
}

TEST(DType, NamesReadBackAndUnknownOnesListTheKnown) {
  for (int i = 0; i < 13; ++i) {
    const auto dtype = static_cast<DType>(i);
    EXPECT_EQ(dtype_from_name(name_of(dtype)).value(), dtype);
  }
  EXPECT_EQ(torch_name_of(DType::F32), "torch.float32");
  const auto unknown = dtype_from_name("f31");
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().what, "unknown dtype 'f31'");
  EXPECT_EQ(unknown.error().hint,
            "one of f32, f64, f16, bf16, i64, i32, i16, i8, u64, u32, u16, u8, bool");
}

TEST(Shape, PrintsAsAList) {
  EXPECT_EQ(to_string(Shape{8, 16}), "[8, 16]");
  EXPECT_EQ(to_string(Shape{}), "[]");
  EXPECT_EQ(numel({}), 1);
}

TEST(Tensor, KeepsUnsignedNumbersExactly) {
  const Tensor large = Tensor::of<std::uint64_t>({2}, {18446744073709551615ULL, 9007199254740993});
  EXPECT_EQ(large.to(DType::U32).at(0), 4294967295.0);
  EXPECT_EQ(large.to(DType::I64).data<std::int64_t>()[0], 9223372036854775807);
  EXPECT_EQ(large.to(DType::I64).data<std::int64_t>()[1], 9007199254740993);
  EXPECT_EQ(large.to(DType::F64).at(1), 9007199254740992.0);
  const Tensor signs = Tensor::of<std::int64_t>({3}, {-1, 70000, 3});
  EXPECT_EQ(signs.to(DType::U64).data<std::uint64_t>()[0], 0U);
  EXPECT_EQ(signs.to(DType::U16).data<std::uint16_t>()[1], 65535);
  EXPECT_EQ(signs.to(DType::U16).to(DType::I64).at(2), 3);
  EXPECT_EQ(Tensor::scalar(1e30, DType::U64).data<std::uint64_t>()[0], 18446744073709551615ULL);
}

}  // namespace
}  // namespace chop
