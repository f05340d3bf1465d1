#include "report/table.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "support/json.hpp"

namespace chop {
namespace {

/// The histogram every user of the reference system has seen.
Table histogram() {
  return {.columns = {{"Original type"}, {"OP"}, {"Total"}, {"Changed"}, {"Unchanged"}},
          .rows = {{"BatchNorm1d", "batch_norm1d", 1, 0, 1},
                   {"Linear", "linear", 1, 1, 0},
                   {"ReLU", "relu", 2, 0, 2}}};
}

TEST(Table, OrgtblIsTheReferencesHistogram) {
  EXPECT_EQ(render(histogram(), {.style = TableStyle::Orgtbl}),
            "| Original type   | OP           |   Total |   Changed |   Unchanged |\n"
            "|-----------------+--------------+---------+-----------+-------------|\n"
            "| BatchNorm1d     | batch_norm1d |       1 |         0 |           1 |\n"
            "| Linear          | linear       |       1 |         1 |           0 |\n"
            "| ReLU            | relu         |       2 |         0 |           2 |\n");
}

TEST(Table, SimpleHasTwoSpacesAndOneRule) {
  EXPECT_EQ(
      render({.columns = {{"item"}, {"qty"}}, .rows = {{"spam", 42}, {"eggs", 451}, {"bacon", 0}}},
             {.style = TableStyle::Simple}),
      "item      qty\n"
      "------  -----\n"
      "spam       42\n"
      "eggs      451\n"
      "bacon       0\n");
}

TEST(Table, SimpleFitsTheScreenByWrappingHeadersThenTexts) {
  const Table table = {
      .columns = {{"Layer"}, {"Time of a run"}, {"What it is"}},
      .rows = {{"first", 1.25, "a sentence of several words"}, {"second", 10.5, "short"}}};
  EXPECT_EQ(render(table, {.style = TableStyle::Simple, .width = 32}),
            "Layer    Time  What it is\n"
            "         of a\n"
            "          run\n"
            "------  -----  -------------\n"
            "first    1.25  a sentence of\n"
            "               several words\n"
            "second  10.5   short\n");
}

TEST(Table, ColumnsThatFindNoRoomFollowBelowBehindTheFirst) {
  const Table table = {.columns = {{"n"}, {"a"}, {"b"}, {"json", Align::Auto, 0, "", false}},
                       .rows = {{"x", 1'000'000, 2'000'000, 3}}};
  EXPECT_EQ(render(table, {.style = TableStyle::Simple, .width = 12}),
            "n          a\n"
            "---  -------\n"
            "x    1000000\n"
            "\n"
            "n          b\n"
            "---  -------\n"
            "x    2000000\n");
  EXPECT_NE(to_csv(table).find("json"), std::string::npos);
}

TEST(Table, GridRulesEveryRow) {
  EXPECT_EQ(render({.columns = {{"item"}, {"qty"}}, .rows = {{"spam", 42}, {"eggs\nham", 451}}},
                   {.style = TableStyle::Grid}),
            "+--------+-------+\n"
            "| item   |   qty |\n"
            "+========+=======+\n"
            "| spam   |    42 |\n"
            "+--------+-------+\n"
            "| eggs   |   451 |\n"
            "| ham    |       |\n"
            "+--------+-------+\n");
}

TEST(Table, PrettyCentresUnlessAnAlignmentIsGiven) {
  EXPECT_EQ(render({.columns = {{"Name", Align::Left}, {"Value"}},
                    .rows = {{"seed", 42}, {"learning_rate", 1e-5}}}),
            "+---------------+-------+\n"
            "| Name          | Value |\n"
            "+---------------+-------+\n"
            "| seed          |  42   |\n"
            "| learning_rate | 1e-05 |\n"
            "+---------------+-------+\n");
}

TEST(Table, MarkdownSaysItsAlignmentAndEscapesBars) {
  EXPECT_EQ(render({.columns = {{"a"}, {"n"}, {"c", Align::Centre}}, .rows = {{"x|y", 1, "z\nw"}}},
                   {.style = TableStyle::Markdown}),
            "| a    |   n |   c    |\n"
            "|:-----|----:|:------:|\n"
            "| x\\|y |   1 | z<br>w |\n");
}

TEST(Table, DecimalPointsAreAligned) {
  EXPECT_EQ(
      render({.columns = {{"loss"}}, .rows = {{Cell(1.25, 2)}, {Cell(10.5, 1)}, {3}, {Cell()}}},
             {.style = TableStyle::Simple}),
      "  loss\n"
      "------\n"
      "  1.25\n"
      " 10.5\n"
      "  3\n"
      "\n");
}

TEST(Table, WrapsAtTheColumnsWidth) {
  EXPECT_EQ(render({.columns = {{"Name", Align::Left}, {"Default", Align::Centre, 24}},
                    .rows = {{"project_dir", "/srv/student2905/mase/mase_output"}}}),
            "+-------------+--------------------------+\n"
            "| Name        |         Default          |\n"
            "+-------------+--------------------------+\n"
            "| project_dir | /srv/student2905/mase/ma |\n"
            "|             |        se_output         |\n"
            "+-------------+--------------------------+\n");
}

TEST(Table, ColoursAndUtf8DoNotDisturbTheWidths) {
  Cell red("ab");
  red.style = "31";
  const Table table = {.columns = {{"größe", Align::Left}}, .rows = {{red}}};
  EXPECT_EQ(render(table, {.colour = true}),
            "+-------+\n"
            "| größe |\n"
            "+-------+\n"
            "| \x1b[31mab\x1b[0m    |\n"
            "+-------+\n");
  EXPECT_NE(render(table).find("| ab    |"), std::string::npos);
}

TEST(Table, NamesInCellsCannotSteerATerminal) {
  const Table table = {.columns = {{"a\x07", Align::Left}}, .rows = {{"\x1b[31mred"}}};
  EXPECT_EQ(render(table, {.style = TableStyle::Simple}),
            "a\\x07\n"
            "-----------\n"
            "\\x1b[31mred\n");
}

TEST(Table, WithoutRowsHasOnlyItsHeader) {
  EXPECT_EQ(render({.columns = {{"a"}}}, {.style = TableStyle::Simple}), "a\n---\n");
  EXPECT_EQ(render({}), "");
}

TEST(Table, ShortRowsEndInEmptyCells) {
  EXPECT_EQ(render({.columns = {{"a"}, {"b"}}, .rows = {{1}}}, {.style = TableStyle::Orgtbl}),
            "|   a | b   |\n|-----+-----|\n|   1 |     |\n");
}

TEST(Table, CsvQuotesOnlyWhatNeedsIt) {
  const Table table = {
      .columns = {{"Name", Align::Left, 0, "name"}, {"a,b"}},
      .rows = {{"say \"hi\"", Cell(1.0 / 3.0, 2)}, {"two\nlines", true}, {Cell()}}};
  EXPECT_EQ(to_csv(table),
            "name,\"a,b\"\n"
            "\"say \"\"hi\"\"\",0.3333333333333333\n"
            "\"two\nlines\",True\n"
            ",\n");
}

TEST(Table, JsonKeepsTypesAndOrder) {
  const Table table = {
      .columns = {{"Z", Align::Auto, 0, "z"}, {"A"}, {"f"}},
      .rows = {{"x", 7, Cell(0.5, 1)}, {Cell(), false, std::numeric_limits<double>::quiet_NaN()}}};
  EXPECT_EQ(to_json(tree_of(table)), R"([{"z":"x","A":7,"f":0.5},{"z":null,"A":false,"f":null}])");
}

TEST(WrapText, BreaksAtSpacesAndHyphensBeforeBreakingWords) {
  using Lines = std::vector<std::string>;
  EXPECT_EQ(wrap_text("the quick brown fox", 10), (Lines{"the quick", "brown fox"}));
  EXPECT_EQ(wrap_text("a well-known-fact here", 8), (Lines{"a well-", "known-", "fact", "here"}));
  EXPECT_EQ(wrap_text("xcu250-figd2104-2L-e", 24), (Lines{"xcu250-figd2104-2L-e"}));
  EXPECT_EQ(wrap_text("ab abcdefghij", 5), (Lines{"ab ab", "cdefg", "hij"}));
  EXPECT_EQ(wrap_text("", 5), (Lines{""}));
  EXPECT_EQ(wrap_text("a\n\nb", 5), (Lines{"a", "", "b"}));
  EXPECT_EQ(wrap_text("ééééé", 2), (Lines{"éé", "éé", "é"}));
}

}  // namespace
}  // namespace chop
