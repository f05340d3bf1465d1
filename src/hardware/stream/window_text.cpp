// A window: registers for its tokens, line memories for the rows above.
#include "hardware/stream/unit_text.hpp"
#include "hardware/verilog/expressions.hpp"

namespace chop::hardware {
namespace {

int index_bits(std::int64_t count) {
  return width_of({0, std::max<std::int64_t>(1, count - 1)});
}

class WindowText {
 public:
  WindowText(const Dataflow& dataflow, const Unit& unit)
      : unit_(unit),
        window_(std::get<WindowUnit>(unit.what)),
        in_(dataflow.links[unit.in[0]]),
        out_(dataflow.links[unit.out[0]]),
        rows_(window_.bottom() - window_.top() + 1),
        columns_(window_.right() - window_.left() + 1) {}

  std::string run() {
    const int width = width_of(in_);
    const TokenLayout& from = window_.from;
    // The next window may be below the last row, and right of the last column.
    const Windows& windows = window_.windows;
    const int y = index_bits(windows.height * windows.stride_y + window_.bottom() + 1);
    const int x = index_bits(windows.width * windows.stride_x + window_.right() + 1);
    const std::string at = part_of("x", 0, index_bits(window_.columns()), x);
    std::string text = unit_head(unit_, in_, out_);
    text += cat("  logic [", y - 1,
                ":0] y, next_y;  // of the token that comes in, and of the next "
                "window\n  logic [",
                x - 1, ":0] x, next_x;\n  logic is_token, is_window, free, step;\n");
    for (std::int64_t r = 0; r < rows_; ++r) {
      if (r + 1 < rows_)
        text += cat("  logic [", width - 1, ":0] line_", r, " [0:", window_.columns() - 1, "];\n");
      text += cat("  logic [", width - 1, ":0] column_", r, ";\n  logic inside_y_", r, ";\n");
      for (std::int64_t c = 0; c < columns_; ++c)
        text += cat("  logic [", width - 1, ":0] at_", r, "_", c, ";\n");
    }
    for (std::int64_t c = 0; c < columns_; ++c) text += cat("  logic inside_x_", c, ";\n");
    text += cat("\n  assign is_token = ", inside("y", y, 0, from.height, window_.rows()), " && ",
                inside("x", x, 0, from.width, window_.columns()), ";\n",
                "  assign is_window = y == next_y && x == next_x;\n",
                "  assign free = !out_valid || out_ready;\n",
                "  assign step = free && (in_valid || !is_token);\n",
                "  assign in_ready = free && is_token;\n");
    text += walk(y, x);
    for (std::int64_t r = 0; r < rows_; ++r)
      text += r + 1 < rows_ ? cat("  assign column_", r, " = line_", r, "[", at, "];\n")
                            : cat("  assign column_", r, " = in_data;\n");
    text += "  always_ff @(posedge clk)\n    if (step) begin\n";
    for (std::int64_t r = 0; r + 1 < rows_; ++r)
      text += cat("      if (is_token) line_", r, "[", at, "] <= column_", r + 1, ";\n");
    for (std::int64_t r = 0; r < rows_; ++r) {
      for (std::int64_t c = 0; c + 1 < columns_; ++c)
        text += cat("      at_", r, "_", c, " <= at_", r, "_", c + 1, ";\n");
      text += cat("      at_", r, "_", columns_ - 1, " <= column_", r, ";\n");
      text += cat("      inside_y_", r,
                  " <= ", inside("y", y, rows_ - 1 - r, from.height, window_.rows()), ";\n");
    }
    for (std::int64_t c = 0; c < columns_; ++c)
      text += cat("      inside_x_", c,
                  " <= ", inside("x", x, columns_ - 1 - c, from.width, window_.columns()), ";\n");
    text += "    end\n\n";
    return text + taps() + "endmodule\n";
  }

 private:
  /// Whether v - back is in [0, size), for a v below `limit`.
  static std::string inside(const char* v, int bits, std::int64_t back, std::int64_t size,
                            std::int64_t limit) {
    std::vector<std::string> parts;
    if (back > 0) parts.push_back(cat(v, " >= ", bits, "'d", back));
    if (back + size < limit) parts.push_back(cat(v, " < ", bits, "'d", back + size));
    if (parts.empty()) return "1'b1";
    return parts.size() == 1 ? cat("(", parts[0], ")") : cat("(", parts[0], " && ", parts[1], ")");
  }

  std::string walk(int y, int x) const {
    const std::int64_t first_y = window_.bottom();
    const std::int64_t first_x = window_.right();
    return cat("\n  always_ff @(posedge clk)\n    if (!rst_n) begin\n      x <= ", x,
               "'d0;\n      y <= ", y, "'d0;\n      next_x <= ", x, "'d", first_x,
               ";\n      next_y <= ", y, "'d", first_y,
               ";\n      out_valid <= 1'b0;\n    end else begin\n",
               "      if (free) out_valid <= step && is_window;\n",
               "      if (step) begin\n        x <= x + ", x, "'d1;\n",
               "        if (is_window) next_x <= next_x + ", x, "'d", window_.windows.stride_x,
               ";\n", "        if (x == ", x, "'d", window_.columns() - 1,
               ") begin\n          x <= ", x, "'d0;\n          next_x <= ", x, "'d", first_x,
               ";\n          y <= y + ", y, "'d1;\n          if (y == next_y) next_y <= next_y + ",
               y, "'d", window_.windows.stride_y, ";\n          if (y == ", y, "'d",
               window_.rows() - 1, ") begin\n            y <= ", y,
               "'d0;\n            next_y <= ", y, "'d", first_y,
               ";\n          end\n        end\n      end\n    end\n\n");
  }

  std::string taps() const {
    std::vector<int> first = {0};
    for (const Interval& range : in_) first.push_back(first.back() + width_of(range));
    std::string text;
    int low = 0;
    for (std::size_t k = 0; k < window_.windows.taps.size(); ++k) {
      const Tap& tap = window_.windows.taps[k];
      const auto c = static_cast<std::size_t>(tap.channel);
      const std::int64_t row = tap.dy - window_.top();
      const std::int64_t column = tap.dx - window_.left();
      const std::string token = cat("at_", row, "_", column);
      std::string value = part_of(token, first[c], width_of(in_[c]), first.back());
      const int width = width_of(out_[k]);
      if (width > width_of(in_[c]))
        value = in_[c].is_signed() ? cat(width, "'($signed(", value, "))")
                                   : cat(width, "'(", value, ")");
      if (tap.may_be_outside)
        value = cat("(inside_y_", row, " && inside_x_", column, ") ? ", value, " : ",
                    plain_literal(window_.padding[k], width));
      text +=
          cat("  assign ", part_of("out_data", low, width, width_of(out_)), " = ", value, ";\n");
      low += width;
    }
    return text;
  }

  const Unit& unit_;
  const WindowUnit& window_;
  const Word& in_;
  const Word& out_;
  std::int64_t rows_;
  std::int64_t columns_;
};

}  // namespace

std::string window_text(const Dataflow& dataflow, const Unit& unit) {
  return WindowText(dataflow, unit).run();
}

}  // namespace chop::hardware
