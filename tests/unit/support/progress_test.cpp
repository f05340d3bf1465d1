#include "support/system/progress.hpp"

#include <gtest/gtest.h>

#include "support/display.hpp"

namespace chop {
namespace {

TEST(RenderBar, ShowsShareRateAndRemainingTime) {
  EXPECT_EQ(render_bar({.label = "Epoch 3", .done = 450, .total = 1000, .seconds = 12.5}, 60),
            "Epoch 3:  45% |████▌     | 450/1000 [00:13<00:15, 36.0 it/s]");
}

TEST(RenderBar, EndsWithTheSuffix) {
  EXPECT_EQ(
      render_bar(
          {.label = "Epoch 0", .done = 10, .total = 10, .seconds = 4000, .suffix = "loss 0.812"},
          79),
      "Epoch 0: 100% |█████████████████| 10/10 [1:06:40<00:00, 400.00 s/it] loss 0.812");
}

TEST(RenderBar, NeverGrowsPastItsLargestBar) {
  const std::string line = render_bar({.done = 1, .total = 2, .seconds = 1}, 500);
  EXPECT_EQ(line, " 50% |████████████████████                    | 1/2 [00:01<00:01, 1.0 it/s]");
}

TEST(RenderBar, DropsTheBarWhenThereIsNoRoom) {
  const BarState state = {.label = "Epoch 3", .done = 450, .total = 1000, .seconds = 12.5};
  EXPECT_EQ(render_bar(state, 50), "Epoch 3:  45% 450/1000 [00:13<00:15, 36.0 it/s]");
  EXPECT_EQ(render_bar(state, 20), "Epoch 3:  45% 450/10");
  EXPECT_EQ(render_bar(state, 0), "");
}

TEST(RenderBar, DropsTheRateBeforeTheSuffix) {
  const BarState state = {.label = "Epoch 13/5000",
                          .done = 9974,
                          .total = 10800,
                          .seconds = 2,
                          .suffix = "loss 1.6259, 2:38:54 left"};
  EXPECT_EQ(render_bar(state, 79), "Epoch 13/5000:  92% 9974/10800 loss 1.6259, 2:38:54 left");
}

TEST(RenderBar, CountsWithoutATotal) {
  EXPECT_EQ(render_bar({.label = "Reading", .done = 7, .seconds = 2}, 80),
            "Reading: 7 it [00:02, 3.5 it/s]");
}

TEST(RenderBar, BytesAreShownInTheirUnits) {
  const BarState state = {.label = "a.gz",
                          .done = 3 << 20,
                          .total = 12 << 20,
                          .seconds = 2,
                          .skipped = 1 << 20,
                          .unit = BarUnit::Bytes};
  EXPECT_EQ(render_bar(state, 50), "a.gz:  25% 3.0 MiB/12.0 MiB [00:02<00:09, 1.0 MiB/");
  EXPECT_EQ(render_bar({.done = 700, .seconds = 1, .unit = BarUnit::Bytes}, 80),
            "700 B [00:01, 700 B/s]");
  EXPECT_EQ(render_bar({.done = 0, .seconds = 0, .unit = BarUnit::Bytes}, 80),
            "0 B [00:00, ? B/s]");
}

TEST(RenderBar, SaysWhatItDoesNotKnowYet) {
  EXPECT_EQ(render_bar({.done = 0, .total = 100}, 60),
            "  0% |                             | 0/100 [00:00<?, ? it/s]");
}

TEST(RenderBar, ResumedStepsDoNotCountForTheRate) {
  EXPECT_EQ(render_bar({.done = 60, .total = 100, .seconds = 1, .skipped = 50}, 40),
            " 60% 60/100 [00:01<00:04, 10.0 it/s]");
}

TEST(RenderBar, NeverExceedsTheWidth) {
  for (int width = 0; width < 120; ++width)
    for (const std::int64_t done : {0, 1, 500, 999, 1000, 1500}) {
      const std::string line = render_bar(
          {.label = "Époque", .done = done, .total = 1000, .seconds = 3.25, .suffix = "loss"},
          width);
      EXPECT_LE(display_width(line), width);
    }
}

struct FakeScreen {
  std::string text;
  double now = 0;
  Screen screen(bool terminal) {
    return {.terminal = terminal,
            .width = [] { return 41; },
            .write = [this](std::string_view part) { text += part; },
            .clock = [this] { return now; }};
  }
};

TEST(Progress, RedrawsAtMostTenTimesPerSecond) {
  FakeScreen fake;
  int drawn = 0;
  {
    Progress progress("", 1000, fake.screen(true));
    for (int step = 1; step <= 1000; ++step) {
      fake.now += 0.001;
      progress.update(step, [&drawn] {
        ++drawn;
        return std::string();
      });
    }
  }
  EXPECT_LE(drawn, 10);
  EXPECT_GE(drawn, 9);
}

TEST(Progress, WipesItsLineAtTheEnd) {
  FakeScreen fake;
  {
    Progress progress("E", 4, fake.screen(true));
    fake.now = 1;
    progress.update(2);
  }
  EXPECT_EQ(fake.text, "\r\x1b[2KE:  50% 2/4 [00:01<00:01, 2.0 it/s]\r\x1b[2K");
}

TEST(Progress, IsSilentWhenThereIsNoTerminal) {
  FakeScreen fake;
  {
    Progress progress("E", 4, fake.screen(false));
    fake.now = 100;
    progress.update(2, [] { return std::string("never called"); });
  }
  EXPECT_EQ(fake.text, "");
}

TEST(Display, CountsCodePointsAndNoAnsiCodes) {
  EXPECT_EQ(display_width(""), 0);
  EXPECT_EQ(display_width("naïve µs"), 8);
  EXPECT_EQ(display_width("\x1b[38;5;8mgrey\x1b[0m"), 4);
  EXPECT_EQ(display_width("\xff\xfe"), 2);
  EXPECT_EQ(display_width("\xe2\x96"), 2);
  EXPECT_EQ(display_width("中文 e\u0301"), 6);
  EXPECT_EQ(clip_to_width("\x1b[31mabcdef\x1b[0m", 3), "\x1b[31mabc\x1b[0m");
}

}  // namespace
}  // namespace chop
