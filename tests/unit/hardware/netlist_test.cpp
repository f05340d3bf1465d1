// Netlists: text that reads back, a verifier that refuses, cells that compute.
#include <gtest/gtest.h>

#include "hardware/integer/rounding.hpp"
#include "hardware/netlist/builder.hpp"

namespace chop::hardware {
namespace {

/// Every kind of cell once.
Netlist one_of_each() {
  Netlist netlist;
  ModuleBuilder inner("inner");
  const WireId a = inner.input("a", {-8, 7});
  inner.output("b", inner.add(a, inner.constant(3)));
  netlist.modules.push_back(std::move(inner).finish(0));
  ModuleBuilder cells("top");
  cells.comment("every kind of cell");
  const WireId x = cells.input("x", {-8, 7});
  const WireId y = cells.input("y", {0, 15});
  const WireId sum = cells.sub(cells.shift(x, 2), y);
  const WireId rounded = cells.round(sum, 2);
  const WireId chosen = cells.mux(cells.less(x, y), cells.max(x, y), cells.scale(x, 5));
  const WireId looked = cells.table(
      y, {.first = 0, .entries = {5, 4, 3, 2, 1, 0, -1, -2, -3, -4, -5, -6, -7, -8, -9, -10}});
  const WireId made = cells.instance("k", netlist, 0, {x})[0];
  cells.output("o_0", cells.registered(cells.add(rounded, chosen)));
  cells.output("o_1", cells.registered(cells.clamp(cells.add(looked, made), {-5, 5})));
  netlist.modules.push_back(std::move(cells).finish(1));
  return netlist;
}

TEST(Netlist, AnInstanceThatNothingReadsKeepsItsInputs) {
  Netlist netlist = one_of_each();
  netlist.modules.resize(1);
  ModuleBuilder top("top");
  const WireId wide = top.input("wide", {-1000, 1000});
  const WireId x = top.input("x", {-8, 7});
  top.instance("k", netlist, 0, {top.registered(x)});
  top.output("o", top.registered(wide));
  netlist.modules.push_back(std::move(top).finish(1));
  const Status sound = verify(netlist);
  EXPECT_TRUE(sound) << to_string(sound.error());
}

TEST(Netlist, BitsOfAConstantAreAConstant) {
  ModuleBuilder builder("top");
  EXPECT_EQ(builder.range(builder.bits(builder.constant(22), 1, 3)), (Interval{3, 3}));
  EXPECT_EQ(builder.range(builder.bits(builder.constant(-2), 0, 2)), (Interval{2, 2}));
}

TEST(Netlist, TextReadsBackAsTheSameNetlist) {
  const Netlist netlist = one_of_each();
  ASSERT_TRUE(verify(netlist)) << to_string(verify(netlist).error());
  const Result<Netlist> again = read_netlist(print(netlist));
  ASSERT_TRUE(again) << to_string(again.error());
  EXPECT_TRUE(again.value() == netlist) << print(netlist) << print(again.value());
}

TEST(Netlist, TextThatIsNoNetlistIsAnErrorWithTheLine) {
  for (const char* text :
       {"", "module m latency 0", "add x [0, 1]", "module m latency 0\n  input x [1, 0]\nend\n",
        "module m latency 0\n  output y x\nend\n", "module m latency 0\n  frob x [0, 1]\nend\n",
        "module m latency 0\n  input x [0, 1] 5\nend\n",
        "module m latency 0\n  input x [0, 3]\n  table t [0, 1] x 0\n  output y t\nend\n",
        "module m latency 0\n  result r [0, 1] k 0\n  output y r\nend\n"}) {
    const Result<Netlist> read = read_netlist(text);
    EXPECT_FALSE(read) << text;
  }
}

TEST(Netlist, ARangeThatDoesNotHoldIsRefused) {
  Netlist netlist = one_of_each();
  for (std::size_t i = 0; i < netlist.modules[1].cells.size(); ++i) {
    Netlist wrong = netlist;
    NetlistCell& cell = wrong.modules[1].cells[i];
    if (cell.kind == CellKind::Input || cell.range.is_constant() || cell.kind == CellKind::Less)
      continue;
    cell.range.high -= 1;
    EXPECT_FALSE(verify(wrong)) << cell.name;
  }
}

TEST(Netlist, PathsOfDifferentLengthAreRefused) {
  ModuleBuilder cells("m");
  const WireId x = cells.input("x", {0, 3});
  cells.output("y", cells.add(x, cells.registered(x)));
  Netlist netlist;
  netlist.modules.push_back(std::move(cells).finish(1));
  const Status status = verify(netlist);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().what, "reads wires of 0 and of 1 cycles");
}

TEST(Netlist, RoundingIsToTheNearestTiesToEven) {
  for (std::int64_t x = -300; x <= 300; ++x)
    for (int shift = 1; shift <= 6; ++shift) {
      const double exact = std::ldexp(static_cast<double>(x), -shift);
      EXPECT_EQ(static_cast<double>(round_even(x, shift)), std::nearbyint(exact));
      EXPECT_EQ(static_cast<double>(divided(x, shift, formats::Rounding::Down)), std::floor(exact));
      EXPECT_EQ(static_cast<double>(divided(x, shift, formats::Rounding::HalfUp)),
                std::floor(exact + 0.5));
    }
}

TEST(Netlist, WidthsAreThoseOfTwosComplement) {
  EXPECT_EQ(width_of({0, 0}), 1);
  EXPECT_EQ(width_of({0, 255}), 8);
  EXPECT_EQ(width_of({0, 256}), 9);
  EXPECT_EQ(width_of({-128, 127}), 8);
  EXPECT_EQ(width_of({-129, 127}), 9);
  EXPECT_EQ(width_of({-1, 0}), 1);
  EXPECT_FALSE((Interval{0, kMost / 2} * 4).is_bounded());
  EXPECT_FALSE((Interval{-kMost / 2, 0} * 4 * 1000).is_bounded());
}

}  // namespace
}  // namespace chop::hardware
