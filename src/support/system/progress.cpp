#include "support/system/progress.hpp"

#include <chrono>
#include <cstdio>

#include "support/display.hpp"
#include "support/result.hpp"
#include "support/system/log.hpp"
#include "support/terminal_text.hpp"
#include "support/text.hpp"

namespace chop::support {
namespace {

constexpr double kRedrawSeconds = 0.1;
constexpr int kSmallestBar = 8;
constexpr int kLargestBar = 40;

std::string rate_text(double rate, BarUnit unit) {
  const bool known = std::isfinite(rate) && rate > 0;
  if (unit == BarUnit::Bytes)
    return known && rate < 1e18 ? human_bytes(static_cast<std::uint64_t>(rate)) + "/s" : "? B/s";
  if (!known) return "? it/s";
  std::array<char, 48> text{};
  if (rate < 1)
    std::snprintf(text.data(), text.size(), "%.2f s/it", 1 / rate);
  else
    std::snprintf(text.data(), text.size(), rate < 100 ? "%.1f it/s" : "%.0f it/s", rate);
  return text.data();
}

std::string amount_text(std::int64_t amount, BarUnit unit) {
  return unit == BarUnit::Bytes
             ? human_bytes(static_cast<std::uint64_t>(std::max<std::int64_t>(0, amount)))
             : std::to_string(amount);
}

/// Eighths of a column make the bar move smoothly.
std::string bar_text(double fraction, int columns) {
  static constexpr std::array<const char*, 8> kEighths = {" ", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const int eighths = static_cast<int>(fraction * columns * 8);
  std::string text;
  for (int i = 0; i < columns; ++i) {
    const int filled = std::clamp(eighths - 8 * i, 0, 8);
    text += filled == 8 ? "█" : kEighths.at(static_cast<std::size_t>(filled));
  }
  return text;
}

}  // namespace

std::string clock_text(double seconds) {
  if (!std::isfinite(seconds) || seconds < 0 || seconds > 1e9) return "?";
  const auto whole = std::int64_t{std::llround(seconds)};
  std::array<char, 48> text{};
  const long long hours = whole / 3600;
  const long long minutes = whole / 60 % 60;
  const long long rest = whole % 60;
  if (hours > 0)
    std::snprintf(text.data(), text.size(), "%lld:%02lld:%02lld", hours, minutes, rest);
  else
    std::snprintf(text.data(), text.size(), "%02lld:%02lld", minutes, rest);
  return text.data();
}

std::string render_bar(const BarState& state, int width) {
  const double rate =
      state.seconds > 0 ? static_cast<double>(state.done - state.skipped) / state.seconds : 0;
  const std::string label = state.label.empty() ? "" : cat(for_terminal(state.label), ": ");
  const std::string suffix = state.suffix.empty() ? "" : cat(" ", for_terminal(state.suffix));
  if (state.total <= 0) {
    return clip_to_width(
        cat(label, amount_text(state.done, state.unit),
            state.unit == BarUnit::Bytes ? " [" : " it [", clock_text(state.seconds), ", ",
            rate_text(rate, state.unit), "]", suffix),
        width);
  }
  const double fraction =
      std::clamp(static_cast<double>(state.done) / static_cast<double>(state.total), 0.0, 1.0);
  const auto left = static_cast<double>(std::max<std::int64_t>(0, state.total - state.done));
  const std::string percent = std::to_string(static_cast<int>(fraction * 100));
  const std::string head = cat(label, std::string(3 - percent.size(), ' '), percent, "% ");
  const std::string remaining = left == 0 ? "00:00" : rate > 0 ? clock_text(left / rate) : "?";
  const std::string amount =
      cat(amount_text(state.done, state.unit), "/", amount_text(state.total, state.unit));
  const std::string tail = cat(amount, " [", clock_text(state.seconds), "<", remaining, ", ",
                               rate_text(rate, state.unit), "]", suffix);
  // The bar has a | on both sides and a space behind it.
  const int room = width - display_width(head) - display_width(tail) - 3;
  if (room >= kSmallestBar)
    return cat(head, "|", bar_text(fraction, std::min(room, kLargestBar)), "| ", tail);
  if (suffix.empty() || display_width(head) + display_width(tail) <= width)
    return clip_to_width(head + tail, width);
  return clip_to_width(cat(head, amount, suffix), width);
}

Screen stderr_screen() {
  return {.terminal = is_terminal(stderr),
          .width = [] { return terminal_width(stderr); },
          .write =
              [](std::string_view text) {
                std::fwrite(text.data(), 1, text.size(), stderr);
                std::fflush(stderr);
              },
          .clock =
              [] {
                const auto now = std::chrono::steady_clock::now().time_since_epoch();
                return std::chrono::duration<double>(now).count();
              }};
}

Progress::Progress(std::string label, std::int64_t total, Screen screen, std::int64_t start,
                   BarUnit unit)
    : label_(std::move(label)),
      total_(total),
      start_(start),
      done_(start),
      unit_(unit),
      screen_(std::move(screen)) {
  if (!screen_.terminal) return;
  began_ = screen_.clock();
  drawn_ = began_;
}

bool Progress::is_due(std::int64_t done) {
  done_ = done;
  return screen_.terminal && screen_.clock() - drawn_ >= kRedrawSeconds;
}

void Progress::draw(std::string_view suffix) {
  drawn_ = screen_.clock();
  const BarState state = {.label = label_,
                          .done = done_,
                          .total = total_,
                          .seconds = drawn_ - began_,
                          .suffix = suffix,
                          .skipped = start_,
                          .unit = unit_};
  // The last column stays free: a full line makes some terminals wrap.
  screen_.write(cat("\r\x1b[2K", render_bar(state, screen_.width() - 1)));
  visible_ = true;
  mark_unfinished_line(true);
}

void Progress::finish() {
  if (!visible_) return;
  screen_.write("\r\x1b[2K");
  visible_ = false;
  mark_unfinished_line(false);
}

}  // namespace chop::support
