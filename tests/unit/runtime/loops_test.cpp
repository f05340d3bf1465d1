#include "runtime/loops.hpp"

#include <gtest/gtest.h>

namespace chop {
namespace {

using Steps = std::vector<std::int64_t>;

TEST(Loops, ADenseTensorIsOneLoop) {
  const Shape shape = {2, 3, 4};
  const Loops loops = merge_loops(shape, {broadcast_steps(shape, shape)});
  EXPECT_EQ(loops.sizes, (Steps{24}));
  EXPECT_EQ(loops.steps[0], (Steps{1}));
}

TEST(Loops, BroadcastDimensionsHaveStepZero) {
  const Shape out = {2, 3, 4, 5};
  EXPECT_EQ(broadcast_steps({3, 1, 1}, out), (Steps{0, 1, 0, 0}));
  const Loops loops =
      merge_loops(out, {broadcast_steps(out, out), broadcast_steps({3, 1, 1}, out)});
  EXPECT_EQ(loops.sizes, (Steps{2, 3, 20}));
  EXPECT_EQ(loops.steps[1], (Steps{0, 1, 0}));
}

TEST(Loops, OffsetsCountLikeAnOdometer) {
  const Loops loops = merge_loops({3, 4}, {Steps{1, 3}});  // a transposed [4, 3]
  ASSERT_EQ(loops.depth(), 2U);
  for (std::int64_t i = 0; i < 12; ++i) EXPECT_EQ(loops.offset(0, 2, i), i / 4 + i % 4 * 3);
}

TEST(Loops, AScalarIsOneStep) {
  const Loops loops = merge_loops({1, 1}, {Steps{0, 0}});
  EXPECT_EQ(loops.sizes, (Steps{1}));
  EXPECT_EQ(merge_loops({}, {Steps{}}).iterations(1), 1);
}

}  // namespace
}  // namespace chop
