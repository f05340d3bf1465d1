#include "cli/settings/toml_tree.hpp"

#include <gtest/gtest.h>

namespace chop {
namespace {

constexpr const char* kText = R"(
[passes.report_graph]
[passes.quantize]
by = "type"
[passes.quantize.linear.config]
width = 8
frac_width = "NA"
[passes.quantize.default.config]
name = "NA"
[passes.add_common_metadata]
list = [1, 2.5, "a"]
)";

TEST(TomlTree, KeepsTheOrderOfTheFileWithLinesAndNothingForNA) {
  const Tree tree = read_table(kText, "my.toml", "passes").value();
  EXPECT_EQ(to_text(tree),
            "{ report_graph = {}, quantize = { by = \"type\", linear = { config = { width = 8, "
            "frac_width = \"NA\" } }, default = { config = { name = \"NA\" } } }, "
            "add_common_metadata = { list = [1, 2.5, \"a\"] } }");
  EXPECT_EQ(tree.find("quantize")->find("by")->line, 4);
  EXPECT_EQ(tree.find("report_graph")->line, 2);
  EXPECT_TRUE(tree.find("quantize")->find("default")->find("config")->find("name")->is_null());
  EXPECT_EQ(read_table("a = 1", "f", "passes").value(), Tree::table());
}

TEST(TomlTree, WordsMakeNestedTables) {
  const std::vector<std::string> words = {
      "by=type",           "n=3",      "a.b.dims=all", "a.b.abs=true",
      "nodes=relu,linear", "q=[1, 2]", "none=NA",      "s=\"3\""};
  EXPECT_EQ(to_text(read_words(words).value()),
            "{ by = \"type\", n = 3, a = { b = { dims = \"all\", abs = true } }, nodes = "
            "[\"relu\", \"linear\"], q = [1, 2], none = \"NA\", s = \"3\" }");
  const std::vector<std::string> clash = {"a=1", "a.b=2"};
  EXPECT_EQ(read_words(clash).error().what, "'a.b=2': a already has a value");
}

}  // namespace
}  // namespace chop
