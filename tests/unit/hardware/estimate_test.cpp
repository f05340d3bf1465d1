// Estimates: what is certain about them. How near they are is in tests/cli/estimate_test.py.
#include <gtest/gtest.h>

#include "hardware/cost/estimate.hpp"
#include "hardware/netlist/builder.hpp"

namespace chop::hardware {
namespace {

Netlist with(Module module) {
  Netlist netlist;
  netlist.modules.push_back(std::move(module));
  return netlist;
}

std::vector<std::int64_t> results_of(int width, std::int64_t (*f)(std::int64_t)) {
  std::vector<std::int64_t> results;
  for (std::int64_t x = 0; x < std::int64_t{1} << width; ++x) results.push_back(f(x));
  return results;
}

TEST(Estimate, AFunctionOfSixInputsIsALutForEachBit) {
  const auto luts = [](int width, int bits, std::int64_t (*f)(std::int64_t)) {
    return function_luts(results_of(width, f), width, bits);
  };
  EXPECT_EQ(luts(6, 6, [](std::int64_t x) { return x; }), 0);
  EXPECT_EQ(luts(6, 1, [](std::int64_t /*x*/) { return std::int64_t{1}; }), 0);
  EXPECT_EQ(luts(6, 6, [](std::int64_t x) { return ~x; }), 6);
  EXPECT_EQ(luts(6, 2, [](std::int64_t x) { return x * x / 7 % 4; }), 2);
  // Bits that do not matter are no inputs; equal functions are one.
  EXPECT_EQ(luts(10, 1, [](std::int64_t x) { return std::int64_t{(x & 0x30) == 0x10}; }), 1);
  EXPECT_EQ(luts(6, 2, [](std::int64_t x) { return std::int64_t{x > 40 ? 3 : 0}; }), 1);
  // Seven inputs: two halves that a dedicated multiplexer joins; nine need a LUT more.
  EXPECT_EQ(luts(7, 1, [](std::int64_t x) { return x * x * x / 11 & 1; }), 2);
  EXPECT_GT(luts(9, 1, [](std::int64_t x) { return x * x * x / 11 & 1; }), 8);
}

TEST(Estimate, ASumHasALutForEachBitThatTwoOperandsHave) {
  ModuleBuilder cells("m");
  const WireId a = cells.input("a", {-32, 31});
  const WireId b = cells.input("b", {-32, 31});
  cells.output("y", cells.add(a, cells.shift(b, 3)));
  const Estimate made = estimate(with(std::move(cells).finish(0)));
  // Of ten bits the lowest three are those of `a` itself.
  EXPECT_EQ(made.parts.sums, 7);
  EXPECT_EQ(made.carries, 2);
  EXPECT_EQ(made.parts.inverters, 0);
}

TEST(Estimate, RegistersAreCountedByTheBit) {
  ModuleBuilder cells("m");
  const WireId x = cells.registered(cells.input("x", {0, 15}));
  cells.output("y", x);
  const Estimate made = estimate(with(std::move(cells).finish(1)));
  EXPECT_EQ(made.registers, 4);
  EXPECT_EQ(made.luts, 0);
  EXPECT_EQ(made.latency, 1);
}

TEST(Estimate, WhatNothingReadsCostsNothing) {
  ModuleBuilder inner("inner");
  const WireId a = inner.input("a", {-8, 7});
  const WireId b = inner.input("b", {-8, 7});
  inner.output("sum", inner.registered(inner.add(a, b)));
  inner.output("difference", inner.registered(inner.sub(a, b)));
  Netlist netlist;
  netlist.modules.push_back(std::move(inner).finish(1));
  const auto top = [&](bool both) {
    ModuleBuilder cells("top");
    const WireId x = cells.input("x", {-8, 7});
    const WireId y = cells.input("y", {-8, 7});
    const auto results = cells.instance("k", netlist, 0, {x, y});
    cells.output("s", results[0]);
    if (both) cells.output("d", results[1]);
    Netlist whole = netlist;
    whole.modules.push_back(std::move(cells).finish(1));
    return estimate(whole);
  };
  EXPECT_EQ(top(true).registers, 10);
  EXPECT_EQ(top(false).registers, 5);
  EXPECT_EQ(top(false).carries * 2, top(true).carries);
  EXPECT_EQ(top(true).modules[0].uses, 1);
}

TEST(Estimate, SaysHowFarItMayBeOff) {
  EXPECT_GE(estimate_error().designs, 40);
  EXPECT_LE(estimate_error().median, 10);
  EXPECT_LE(estimate_error().worst, 30);
  EXPECT_NE(error_text().find("at worst"), std::string::npos);
}

}  // namespace
}  // namespace chop::hardware
