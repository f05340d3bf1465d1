// Tokens, windows over them, and the units of a folded circuit.
#include "hardware/stream/fold.hpp"

#include <gtest/gtest.h>

#include "hardware/stream/units.hpp"

namespace chop::hardware {
namespace {

/// The windows of a convolution over one channel [h, w].
Codes windows_of(std::int64_t h, std::int64_t w, std::int64_t kernel, std::int64_t stride,
                 std::int64_t padding) {
  Codes window;
  for (std::int64_t y = -padding; y + kernel <= h + padding; y += stride)
    for (std::int64_t x = -padding; x + kernel <= w + padding; x += stride)
      for (std::int64_t i = y; i < y + kernel; ++i)
        for (std::int64_t j = x; j < x + kernel; ++j)
          window.push_back(i < 0 || i >= h || j < 0 || j >= w ? -1 : i * w + j);
  return window;
}

TEST(Windows, KernelStrideAndPaddingAreFoundAgain) {
  const Codes window = windows_of(7, 9, 3, 2, 1);
  const auto fitted = fit_windows({1, 7, 9}, window, 9, 4, 5);
  ASSERT_TRUE(fitted);
  EXPECT_EQ(fitted->stride_y, 2);
  EXPECT_EQ(fitted->stride_x, 2);
  EXPECT_EQ(fitted->taps[0].dy, -1);
  EXPECT_EQ(fitted->taps[8].dx, 1);
  EXPECT_TRUE(fitted->taps[0].may_be_outside);
  EXPECT_FALSE(fitted->taps[4].may_be_outside);
}

TEST(Windows, WhatDoesNotMoveEvenlyIsNoWindow) {
  Codes window = windows_of(6, 6, 2, 2, 0);
  ASSERT_TRUE(fit_windows({1, 6, 6}, window, 4, 3, 3));
  std::swap(window[0], window[5]);
  EXPECT_FALSE(fit_windows({1, 6, 6}, window, 4, 3, 3));
  EXPECT_FALSE(fit_windows({1, 6, 6}, windows_of(6, 6, 2, 2, 0), 4, 2, 3));
}

TEST(Folding, ReuseIsReadForAllLayersAndForSingleOnes) {
  const FoldOptions options = parse_reuse("8,fc=2,conv=25").value();
  EXPECT_EQ(options.reuse, 8);
  EXPECT_EQ(options.reuse_of.at("conv"), 25);
  for (const char* wrong : {"", "0", "x", "fc=", "fc=0", "4,fc=-1", "2000000"})
    EXPECT_FALSE(parse_reuse(wrong)) << wrong;
}

/// [1, 6, 6] through a 3x3 convolution with padding to two channels.
IntegerGraph convolution() {
  IntegerGraph graph{.name = "net"};
  graph.nodes.push_back(
      {.name = "x",
       .op = "input",
       .type = {.shape = {1, 6, 6}, .ranges = std::vector<Interval>(36, {-4, 3})}});
  graph.inputs.push_back({.node = 0, .placeholder = "x"});
  graph.nodes.push_back(
      {.name = "conv",
       .op = "linear",
       .inputs = {0},
       .attrs = {{"weight", {1, 2, 3, 4, -5, 6, 7, 8, 9, 0, 1, 0, 1, 0, 1, 0, 1, 0}},
                 {"bias", {3, -3}},
                 {"window", windows_of(6, 6, 3, 1, 1)}},
       .type = {.shape = {2, 6, 6}, .ranges = std::vector<Interval>(72, {-500, 500})}});
  graph.outputs = {1};
  return graph;
}

TEST(Folding, MultipliersAndCyclesFollowFromTheReuse) {
  const IntegerGraph graph = convolution();
  for (const auto& [reuse, multipliers, cycles] :
       {std::tuple(1, 0, 1), std::tuple(3, 6, 3), std::tuple(4, 6, 3), std::tuple(9, 2, 9),
        std::tuple(18, 1, 18), std::tuple(500, 1, 18)}) {
    FoldOptions options;
    options.reuse = reuse;
    const Dataflow made = fold(graph, options).value();
    EXPECT_EQ(count_units(made).multipliers, multipliers) << reuse;
    // A walk over the padding below and to the right, and the window waits for its products.
    EXPECT_EQ(made.interval, 7 * 7 + 36 * (cycles - 1)) << reuse;
    EXPECT_EQ(made.given.size(), 36U);
    EXPECT_EQ(made.made[0].size(), 2U);
  }
}

TEST(Folding, ALayerThatDoesNotExistIsAnErrorThatListsThem) {
  FoldOptions options;
  options.reuse_of["fc"] = 2;
  const auto made = fold(convolution(), options);
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().what, "no layer with a matrix is called 'fc'");
  EXPECT_EQ(made.error().hint, "there are: conv");
}

TEST(Folding, AWordHasTheWidthsOfTheOutputsOfItsCore) {
  IntegerGraph graph{.name = "net"};
  const IntegerType two{.shape = {2}, .ranges = {{-8, 7}, {0, 3}}};
  graph.nodes.push_back({.name = "x", .op = "input", .type = two});
  graph.inputs.push_back({.node = 0, .placeholder = "x"});
  // x - x: the integers give it a range, the netlist knows that it is 0.
  graph.nodes.push_back({.name = "none",
                         .op = "add",
                         .inputs = {0, 0},
                         .attrs = {{"shift_a", {0}}, {"shift_b", {0}}, {"sign", {-1}}},
                         .type = {.shape = {2}, .ranges = {{-15, 15}, {-3, 3}}}});
  graph.outputs = {1};
  const auto made = fold(graph, {});
  ASSERT_TRUE(made) << to_string(made.error());
  const Module& core = made.value().cores.top();
  Word word;
  for (const Output& output : core.outputs) word.push_back(core.range(output.wire));
  EXPECT_EQ(made.value().links[made.value().output], word);
}

TEST(Folding, LinesHoldTheRowsAboveAndNoMore) {
  FoldOptions options;
  const FoldedCounts counts = count_units(fold(convolution(), options).value());
  EXPECT_EQ(counts.line_bits, 2 * 7 * 3);
  EXPECT_EQ(counts.window_bits, 9 * 3);
}

}  // namespace
}  // namespace chop::hardware
