// Reshapes, permutations, cat, slice and reductions: special rules and error messages.
#include <gtest/gtest.h>

#include <cmath>

#include "support/call_op.hpp"

namespace chop::test {
namespace {

Attrs dims(const char* name, Ints values) {
  return {{name, std::move(values)}};
}
Attrs whole(const char* name, std::int64_t value) {
  return {{name, value}};
}

TEST(Reshape, WorksOutTheOpenDimension) {
  EXPECT_EQ(shape_of("reshape", {zeros({2, 6})}, dims("shape", {3, -1})), (Shape{3, 4}));
  EXPECT_EQ(shape_of("view", {zeros({0, 3})}, dims("shape", {-1, 3})), (Shape{0, 3}));
  EXPECT_EQ(shape_of("view", {zeros({1})}, dims("shape", {})), Shape{});
}

TEST(Reshape, SaysWhyAShapeDoesNotFit) {
  const auto refuse = [](Shape from, Ints to) {
    return error_of("reshape", {zeros(std::move(from))}, dims("shape", std::move(to)));
  };
  EXPECT_EQ(refuse({2, 3}, {4, -1}).what, "cannot give [2, 3] the shape [4, -1]");
  EXPECT_EQ(refuse({2, 3}, {4, -1}).hint, "6 elements are not divisible by 4");
  EXPECT_EQ(refuse({2, 3}, {-1, -1}).hint, "only one dimension can be -1");
  EXPECT_EQ(refuse({2, 3}, {7}).hint, "one has 6 elements, the other 7");
  EXPECT_EQ(refuse({2, 3}, {-2}).hint, "dimensions are positive; -1 stands for what is left over");
  EXPECT_EQ(refuse({0}, {-1, 0}).hint, "beside a dimension of size 0, -1 could be any number");
  const std::int64_t huge = std::int64_t{1} << 40;
  EXPECT_EQ(refuse({2}, {huge, huge}).hint, "that is more elements than fit in memory");
}

TEST(Reshape, KeepsWholeNumbers) {
  const Tensor x = Tensor::of<std::int64_t>({2, 2}, {1, -2, 3, 4});
  const Tensor y = call_op("flatten", {x}, whole("start_dim", 0))[0];
  EXPECT_EQ(y, Tensor::of<std::int64_t>({4}, {1, -2, 3, 4}));
}

TEST(Flatten, KeepsTheBatchByDefault) {
  EXPECT_EQ(shape_of("flatten", {zeros({2, 3, 4})}), (Shape{2, 12}));
  EXPECT_EQ(shape_of("flatten", {zeros({})}, whole("start_dim", 0)), Shape{1});
}

TEST(Flatten, RefusesToGoBackwards) {
  const Error error = error_of("flatten", {zeros({2, 3})},
                               {{"start_dim", std::int64_t{1}}, {"end_dim", std::int64_t{0}}});
  EXPECT_EQ(error.what, "flatten from dimension 1 to 0, which comes before");
  EXPECT_EQ(error.hint, "start_dim must not come after end_dim");
}

TEST(Squeeze, DropsOnlyTheOnesItNames) {
  EXPECT_EQ(shape_of("squeeze", {zeros({1, 3, 1, 1})}, dims("dim", {0, -1})), (Shape{3, 1}));
  EXPECT_EQ(shape_of("squeeze", {zeros({2, 3})}, dims("dim", {0})), (Shape{2, 3}));
  EXPECT_EQ(error_of("squeeze", {zeros({1, 1})}, dims("dim", {0, -2})).what,
            "dimension 0 is named twice");
}

TEST(Unsqueeze, CanAppend) {
  EXPECT_EQ(shape_of("unsqueeze", {zeros({2, 3})}, whole("dim", 2)), (Shape{2, 3, 1}));
  EXPECT_EQ(error_of("unsqueeze", {zeros({2, 3})}, whole("dim", 3)).what,
            "dimension 3 is outside a tensor of rank 3");
}

TEST(Permute, NeedsEachDimensionOnce) {
  EXPECT_EQ(error_of("permute", {zeros({2, 3})}, dims("dims", {0})).what,
            "permute with dims=[0] of a tensor of rank 2");
  EXPECT_EQ(error_of("permute", {zeros({2, 3})}, dims("dims", {0})).hint,
            "name each of the 2 dimensions once");
  EXPECT_EQ(error_of("permute", {zeros({2, 3})}, dims("dims", {1, 1})).what,
            "dimension 1 is named twice");
}

TEST(Permute, MovesElements) {
  const Tensor x = Tensor::of<double>({2, 3}, {1, 2, 3, 4, 5, 6});
  const std::vector<double> moved = {1, 4, 2, 5, 3, 6};
  EXPECT_EQ(list(call_op("permute", {x}, dims("dims", {1, 0}))[0]), moved);
  EXPECT_EQ(
      list(call_op("transpose", {x}, {{"dim0", std::int64_t{0}}, {"dim1", std::int64_t{-1}}})[0]),
      moved);
}

TEST(Cat, SaysWhichShapesDoNotJoin) {
  const Error error = error_of("cat", {zeros({2, 3}), zeros({3, 3})}, whole("dim", 1));
  EXPECT_EQ(error.what, "cat along dimension 1 cannot join [2, 3] and [3, 3]");
  EXPECT_EQ(error.hint, "all other dimensions must be equal");
  EXPECT_EQ(error_of("cat", {zeros({2}), Tensor(DType::I64, {2})}).what,
            "cat cannot join f32 and i64");
  EXPECT_EQ(error_of("cat", {zeros({})}).what, "dimension 0 is outside a tensor of rank 0");
}

TEST(Slice, RefusesToReachOutside) {
  const Error error =
      error_of("slice", {zeros({2, 3})},
               {{"dim", std::int64_t{1}}, {"start", std::int64_t{2}}, {"length", std::int64_t{5}}});
  EXPECT_EQ(error.what, "slice of 5 from 2 is outside dimension 1 of size 3");
}

TEST(Reductions, CountAScalarAsOneElement) {
  EXPECT_EQ(shape_of("sum", {zeros({})}, dims("dim", {0})), Shape{});
  EXPECT_EQ(shape_of("mean", {zeros({2, 3})}, {{"keepdim", true}}), (Shape{1, 1}));
}

TEST(Reductions, OfNothing) {
  EXPECT_EQ(call_op("sum", {zeros({0})})[0].at(0), 0.0);
  EXPECT_TRUE(std::isnan(call_op("mean", {zeros({0})})[0].at(0)));
}

TEST(Reductions, RefuseADimensionNamedTwice) {
  const Error error = error_of("sum", {zeros({2, 3})}, dims("dim", {1, -1}));
  EXPECT_EQ(error.what, "dimension 1 is named twice");
  EXPECT_EQ(error.hint, "name each dimension once; negative ones count from the end");
}

}  // namespace
}  // namespace chop::test
