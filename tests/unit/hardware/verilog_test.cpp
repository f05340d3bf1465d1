// The text of emitted modules, where it matters to a synthesiser. What they compute is simulated:
// tests/cli/hardware_test.py.
#include "hardware/verilog/verilog.hpp"

#include <gtest/gtest.h>

#include "hardware/netlist/from_integer.hpp"
#include "hardware/verilog/place.hpp"
#include "hardware/verilog/synthesise.hpp"

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

TEST(Verilog, NamesThatAreReservedWordsGetAnUnderscore) {
  EXPECT_EQ(plain_name("small"), "small_");
  EXPECT_EQ(plain_name("xor"), "xor_");
  EXPECT_EQ(plain_name("accept_on"), "accept_on_");
  EXPECT_EQ(plain_name("smal"), "smal");
  EXPECT_EQ(plain_name("wire with"), "wire_with");
  EXPECT_EQ(plain_name("2.a"), "n2_a");
}

TEST(Placing, TheHarnessConnectsEveryPortAndOnlyTheClockThereIs) {
  const PlacingJob job{.synthesis = {.top = "net"},
                       .clock = "aclk",
                       .ports = {{"a", 3, false}, {"y", 2, true}, {"b", 1, false}}};
  const std::string text = placing_harness(job);
  for (const char* line : {".aclk(clk)", ".a(given[2:0])", ".y(made[1:0])", ".b(given[3:3])"})
    EXPECT_NE(text.find(line), std::string::npos) << line << " is missing in\n" << text;
  PlacingJob combinational = job;
  combinational.clock.clear();
  EXPECT_EQ(placing_harness(combinational).find("(clk)"), std::string::npos);
}

TEST(Placing, TheSlowestClockOfAReportCounts) {
  Placed placed;
  ASSERT_TRUE(read_placing_report(R"({"fmax": {"a": {"achieved": 90.5}, "b": {"achieved": 40.25}},
                                      "utilization": {"LC": {"used": 7, "available": 20}}})",
                                  "LC", placed));
  EXPECT_EQ(placed.frequency, 40.25);
  EXPECT_EQ(placed.cells, 7);
  EXPECT_EQ(placed.available, 20);
}

TEST(Placing, AReportWithoutWhatIsNeededIsAnError) {
  for (const char* text :
       {"", "[]", "{}", R"({"fmax": {}, "utilization": {"LC": {"used": 7}}})",
        R"({"fmax": {"a": {"achieved": 1}}, "utilization": {"LC": {"used": "x"}}})",
        R"({"fmax": 3, "utilization": 4})"}) {
    Placed placed;
    EXPECT_FALSE(read_placing_report(text, "LC", placed)) << text;
  }
}

TEST(Verilog, BitsThatAreAlwaysZeroAreNoPartOfAResult) {
  ModuleBuilder cells("m");
  const WireId above = cells.constant(0);
  cells.output("y", cells.concat(above, cells.input("x", {0, 3}), 4));
  Netlist netlist;
  netlist.modules.push_back(std::move(cells).finish(0));
  ASSERT_TRUE(verify(netlist));
  const std::string text = to_verilog(netlist)[0].text;
  EXPECT_EQ(text.find('{'), std::string::npos) << text;
}

TEST(Synthesise, APartBelongsToAFamily) {
  for (const auto& [part, family] :
       std::map<std::string, std::string>{{"xilinx", "xilinx"},
                                          {"xcu250-figd2104-2L-e", "xilinx"},
                                          {"XCVU9P", "xilinx"},
                                          {"ice40", "ice40"},
                                          {"up5k", "ice40"},
                                          {"LFE5U-85F", "ecp5"}}) {
    const Result<const SynthesisTarget*> found = find_target(part);
    ASSERT_TRUE(found) << part;
    EXPECT_EQ(found.value()->name, family);
  }
  for (const char* part : {"", "xc7a35t", "stratix"}) {
    const Result<const SynthesisTarget*> found = find_target(part);
    ASSERT_FALSE(found) << part;
    EXPECT_NE(found.error().hint.find("ecp5"), std::string::npos);
  }
}

TEST(Synthesise, CountsAndDepthsAreReadFromWhatYosysPrints) {
  const auto cells = read_cell_counts(
      "   Number of cells:   99\n     LUT2   99\n\n   Number of cells:   7\n     CARRY4   3\n"
      "     LUT6   4\n\n   Estimated number of LCs:  4\n");
  EXPECT_EQ(cells, (std::map<std::string, std::int64_t>{{"CARRY4", 3}, {"LUT6", 4}}));
  EXPECT_TRUE(read_cell_counts("nothing of the kind").empty());
  const std::string notes =
      "=== m ===\n   Number of cells:  3\n     $scopeinfo  1\n     INV  2\n\n";
  EXPECT_EQ(read_cell_counts(notes), (std::map<std::string, std::int64_t>{{"INV", 2}}));
  EXPECT_EQ(read_module_counts(notes).at("m"), (std::map<std::string, std::int64_t>{{"INV", 2}}));
  EXPECT_EQ(read_path_length("Longest topological path in net (length=23):\n  0: ..."), 23);
  EXPECT_EQ(read_path_length("(length=x"), 0);
  EXPECT_EQ(read_path_length(""), 0);
}

TEST(Synthesise, CellsAreReadModuleByModule) {
  const auto modules = read_module_counts(
      "=== a ===\n\n   Number of cells:  3\n     LUT2   1\n     FDRE   2\n     $scopeinfo  1\n\n"
      "=== top ===\n\n   Number of cells:  5\n     LUT6   4\n     a   1\n\n"
      "=== design hierarchy ===\n\n   top 1\n   Number of cells:  8\n     LUT6  9\n");
  ASSERT_EQ(modules.size(), 2U);
  EXPECT_EQ(modules.at("a").at("FDRE"), 2);
  EXPECT_EQ(modules.at("top").at("LUT6"), 4);
}

TEST(Synthesise, ASelectThatNoLutDrivesTakesALutSite) {
  EXPECT_EQ(
      count_route_throughs(".subckt LUT2 I0=a I1=b O=x[0]\n"
                           ".subckt CARRY4 CI=$false O[0]=y S[0]=x[0] S[1]=a S[2]=$true S[3]=b\n"
                           ".subckt INV I=a O=z\n"
                           ".subckt CARRY4 CI=$false S[0]=z S[1]=$false S[2]=z S[3]=a\n"),
      3);
}

}  // namespace
}  // namespace chop::hardware
