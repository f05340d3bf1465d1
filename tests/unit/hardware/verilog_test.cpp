// The text of emitted modules, where it matters to a synthesiser. What they compute is simulated:
// tests/cli/hardware_test.py.
#include "hardware/verilog/verilog.hpp"

#include <gtest/gtest.h>

#include "hardware/adders/adder_graph.hpp"

namespace chop::hardware {
namespace {

std::string text_of(AdderMethod method) {
  ModuleBuilder cells("m");
  std::vector<WireId> x;
  for (int i = 0; i < 3; ++i) x.push_back(cells.input(cat("x_", i), {-8, 7}));
  const LinearMap map{.rows = 1, .columns = 3, .weight = {1, 1, 1}, .bias = {0}};
  cells.output("y", build_linear(cells, map, x, {.method = method})[0]);
  Netlist netlist;
  netlist.modules.push_back(std::move(cells).finish(0));
  return to_verilog(netlist)[0].text;
}

TEST(Verilog, ASumThatFeedsASumHasItsLowestBitApart) {
  const std::string text = text_of(AdderMethod::Canonical);
  EXPECT_NE(text.find("_sum[4:1], x_"), std::string::npos) << text;
  EXPECT_NE(text.find("[0] ^ x_"), std::string::npos) << text;
}

TEST(Verilog, WhatIsLeftToTheSynthesiserIsLeftAsItIs) {
  ModuleBuilder cells("m");
  const WireId a = cells.scale(cells.input("a", {-8, 7}), 5);
  const WireId b = cells.input("b", {-8, 7});
  cells.output("y", cells.add(cells.add(a, b), cells.input("c", {-8, 7})));
  Netlist netlist;
  netlist.modules.push_back(std::move(cells).finish(0));
  EXPECT_EQ(to_verilog(netlist)[0].text.find("_sum"), std::string::npos);
}

}  // namespace
}  // namespace chop::hardware
