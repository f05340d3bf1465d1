// Plans take denormal numbers for zeros, on all threads and at the heads of chains too; everything
// outside of a run keeps them.
#include <gtest/gtest.h>

#include "compile/compile.hpp"
#include "ops/core/builder.hpp"
#include "support/evaluation_plan.hpp"
#include "support/system/denormals.hpp"

namespace chop {
namespace {

constexpr float kDenormal = 1e-40F;

/// Whether 2^-126 / 2 is a number here: computed while the test runs.
bool keeps_denormals() {
  volatile float x = std::numeric_limits<float>::min();
  x = x * 0.5F;
  return x != 0;
}

Graph network() {
  GraphBuilder b("net", 1);
  Value x = b.input("x", {-1, 8, 33, 33});
  x = b.function("mul", {x}, {{"other", 1.0}});
  x = b.module("conv2d", "conv", {x},
               {{"in_channels", std::int64_t{8}},
                {"out_channels", std::int64_t{16}},
                {"kernel_size", Ints{1}},
                {"bias", false}});
  x = b.function("mul", {x}, {{"other", 0.5}});
  Graph graph = std::move(b).finish({x}).value();
  for (Parameter& parameter : graph.parameters())
    for (float& w : parameter.value.mutable_data<float>()) w = 1;
  return graph;
}

TEST(Denormals, AreZerosInRunsOfPlansForAnyNumberOfThreads) {
  if (denormals_here() == Denormals::Zero) GTEST_SKIP() << "this process keeps none";
  for (const bool frozen : {false, true})
    for (const int threads : {1, 3}) {
      Plan plan = test::evaluation_plan(network(), 8, frozen, threads);
      for (float& x : plan.input("x")) x = kDenormal;
      ASSERT_TRUE(plan.run());
      for (const float y : plan.output()) ASSERT_EQ(y, 0.0F) << frozen << " " << threads;
      for (float& x : plan.input("x")) x = std::numeric_limits<float>::min();
      ASSERT_TRUE(plan.run());  // 8 of the least normal number, halved
      for (const float y : plan.output()) ASSERT_EQ(y, 4 * std::numeric_limits<float>::min());
      EXPECT_TRUE(keeps_denormals()) << "the run is over";
    }
}

TEST(Denormals, AreKeptByTheReference) {
  Result<Compiled> compiled =
      compile_graph(network(), {.batch = 1, .threads = 1, .reference_only = true});
  ASSERT_TRUE(compiled);
  Plan& plan = compiled.value().plan;
  for (float& x : plan.input("x")) x = kDenormal;
  ASSERT_TRUE(plan.run());
  for (const float y : plan.output()) ASSERT_NE(y, 0.0F);
}

TEST(Denormals, AScopeEndsWhereItBegan) {
  const Denormals before = denormals_here();
  {
    const DenormalScope zero(Denormals::Zero);
    EXPECT_EQ(denormals_here(), Denormals::Zero);
    {
      const DenormalScope kept(Denormals::Kept);
      EXPECT_EQ(denormals_here(), Denormals::Kept);
      EXPECT_TRUE(keeps_denormals());
    }
    EXPECT_FALSE(keeps_denormals());
  }
  EXPECT_EQ(denormals_here(), before);
}

}  // namespace
}  // namespace chop
