// Names as torch.fx makes them.
#include "ir/fx_names.hpp"

#include <gtest/gtest.h>

#include <set>

#include "ir/graph.hpp"

namespace chop {
namespace {

TEST(FxNames, TargetsBecomeSnakeCaseIdentifiers) {
  EXPECT_EQ(fx_name("seq_blocks.2"), "seq_blocks_2");
  EXPECT_EQ(fx_name("features.convA.BN"), "features_conv_a_bn");
  EXPECT_EQ(fx_name("0.weight"), "_0_weight");
  EXPECT_EQ(fx_name("a-.b"), "a_b");
  EXPECT_EQ(fx_name("a_.b"), "a__b");
  EXPECT_EQ(fx_name(""), "");
}

TEST(FxNames, TakenNamesGetTheNextNumber) {
  std::set<std::string> taken;
  const auto next = [&taken](const std::string& wanted) {
    const std::string name =
        free_name(wanted, [&taken](const std::string& n) { return taken.contains(n); });
    taken.insert(name);
    return name;
  };
  EXPECT_EQ(next("add"), "add");
  EXPECT_EQ(next("add"), "add_1");
  EXPECT_EQ(next("add_1"), "add_2");
  EXPECT_EQ(next("conv_7"), "conv_7");
  EXPECT_EQ(next("conv_7"), "conv_8");
  EXPECT_EQ(next("a_99999999999999999999"), "a_99999999999999999999");
  EXPECT_EQ(next("a_99999999999999999999"), "a_99999999999999999999_1");
}

TEST(FxNames, ThousandsOfTakenNamesTakeFewLookups) {
  std::set<std::string> taken = {"relu"};
  for (int n = 1; n <= 5000; ++n) {
    int asked = 0;
    const std::string name = free_name("relu", [&](const std::string& each) {
      ++asked;
      return taken.contains(each);
    });
    EXPECT_EQ(name, "relu_" + std::to_string(n));
    EXPECT_LE(asked, 60);
    taken.insert(name);
  }
}

TEST(FxNames, FunctionsAreNamedAfterTheirLastPartAndNeverAfterABuiltin) {
  Graph graph("g");
  const auto named = [&graph](Opcode opcode, const char* target) {
    return graph.node(graph.add({.opcode = opcode, .op = "op", .target = target})).name;
  };
  EXPECT_EQ(named(Opcode::CallFunction, "torch.nn.functional.relu"), "relu");
  EXPECT_EQ(named(Opcode::CallFunction, "operator.add"), "add");
  EXPECT_EQ(named(Opcode::CallFunction, "torch.sum"), "sum_1");
  EXPECT_EQ(named(Opcode::CallFunction, "torch.sum"), "sum_2");
  EXPECT_EQ(named(Opcode::CallModule, "max"), "max_1");
  EXPECT_EQ(named(Opcode::CallModule, "layer1.0.relu"), "layer1_0_relu");
}

TEST(FxNames, NamesThatAreGivenStayAsTheyAre) {
  Graph graph("g");
  EXPECT_EQ(graph.node(graph.add({.name = "sum", .op = "op", .target = "t"})).name, "sum");
  EXPECT_EQ(graph.node(graph.add({.name = "a.b", .op = "op", .target = "t"})).name, "a.b");
}

}  // namespace
}  // namespace chop
