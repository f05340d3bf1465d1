// The screen of `ch inspect`: bars, short numbers, blocks of large networks.
#include "cli/views/inspect_view.hpp"

#include <gtest/gtest.h>

#include "models/registry.hpp"
#include "support/display.hpp"
#include "support/text.hpp"

namespace chop {
namespace {

TEST(InspectView, BarsHaveTheRequestedWidth) {
  EXPECT_EQ(share_bar(0, 4), "    ");
  EXPECT_EQ(share_bar(1, 4), "████");
  EXPECT_EQ(share_bar(0.5, 4), "██  ");
  EXPECT_EQ(share_bar(0.125, 4), "▌   ");
  EXPECT_EQ(share_bar(1.5, 4), "████");
  for (int i = 0; i <= 100; ++i) EXPECT_EQ(display_width(share_bar(i / 100.0, 5)), 5) << i;
}

TEST(InspectView, ShortNumbersKeepThreeDigits) {
  EXPECT_EQ(compact(0), "0");
  EXPECT_EQ(compact(9999), "9999");
  EXPECT_EQ(compact(10000), "10.0 k");
  EXPECT_EQ(compact(999'499), "999 k");
  EXPECT_EQ(compact(999'500), "1.00 M");
  EXPECT_EQ(compact(1'814'073'344), "1.81 G");
}

Inspection inspection(const std::string& name) {
  return inspect_graph(build_model(name, {}).value(), {.batch = 1, .repeats = 1}).value();
}

TEST(InspectView, SharesAddUpWhetherGroupedOrNot) {
  const Inspection all = inspection("resnet18");
  for (const std::size_t most : {std::size_t{1000}, std::size_t{30}, std::size_t{5}}) {
    const std::vector<InspectRow> rows = one_screen(all.rows, most);
    EXPECT_LE(rows.size(), std::max(most, std::size_t{1}));
    double time = 0;
    double bits = 0;
    std::int64_t macs = 0;
    for (const InspectRow& row : rows) {
      time += row.time_share;
      bits += row.bit_share;
      macs += row.macs;
    }
    EXPECT_NEAR(time, 1, 1e-9);
    EXPECT_NEAR(bits, 1, 1e-9);
    EXPECT_EQ(macs, all.cost.arithmetic.macs);
  }
}

TEST(InspectView, BlocksOfALargeNetworkAreOneRowEach) {
  const std::vector<InspectRow> rows = one_screen(inspection("resnet18").rows, 30);
  const auto block = std::find_if(rows.begin(), rows.end(),
                                  [](const InspectRow& row) { return row.name == "layer1.0"; });
  ASSERT_NE(block, rows.end());
  EXPECT_TRUE(block->op.starts_with("block of ")) << block->op;
  EXPECT_EQ(block->parameters, 2 * (64 * 64 * 9 + 128));
}

TEST(InspectView, FitsInAHundredColumns) {
  for (const char* name : {"jsc-tiny", "jsc-s", "resnet18", "vgg7"}) {
    const std::string text =
        render(table_of(one_screen(inspection(name).rows, 30)), {.style = TableStyle::Simple});
    for (const std::string& line : split(text, '\n'))
      EXPECT_LE(display_width(line), 100) << name << ": " << line;
  }
}

}  // namespace
}  // namespace chop
