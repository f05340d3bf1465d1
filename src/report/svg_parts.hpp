// Building blocks of our SVG pictures: numbers, text, lines and boxes of SVG; axes with round
// ticks.
#pragma once

#include "support/layers.hpp"

namespace chop::report::svg {

inline constexpr std::string_view kInk = "#24292f";    ///< text
inline constexpr std::string_view kFaint = "#57606a";  ///< tick labels
inline constexpr std::string_view kGrid = "#e7eaee";
inline constexpr std::string_view kAxis = "#8c959f";
/// Colours of series; most colour-blind readers can distinguish them.
inline constexpr std::array<std::string_view, 8> kColours = {
    "#0b66c3", "#d9480f", "#2b8a3e", "#9c36b5", "#e0a100", "#0c8599", "#c2255c", "#5c677d"};

/// A coordinate with at most two decimals.
std::string number(double value);
/// `text` safe inside an element or attribute; broken UTF-8 and control characters replaced.
std::string escaped(std::string_view text);
/// About how many pixels `text` takes at `size` pixels of a sans-serif face.
double text_width(std::string_view text, double size);

enum class Anchor { Start, Middle, End };

struct TextStyle {
  double size = 12;
  std::string_view fill = kInk;
  Anchor anchor = Anchor::Start;
  bool bold = false;
  double rotate = 0;  ///< degrees clockwise around the text's own point
};

/// Collects elements; one per line.
class Canvas {
 public:
  void text(double x, double y, std::string_view content, const TextStyle& style = {});
  void line(double x1, double y1, double x2, double y2, std::string_view stroke, double width = 1,
            std::string_view dash = {});
  void box(double x, double y, double width, double height, std::string_view fill,
           double radius = 0);
  void raw(std::string_view element) { body_.append(element) += '\n'; }
  /// The whole document on a white ground.
  std::string finish(double width, double height, std::string_view title) const;

 private:
  std::string body_;
};

struct Tick {
  double at = 0;
  std::string label;
};

/// Round numbers (1, 2 or 5 times a power of ten) within [low, high], about `count` of them;
/// with `whole` no step is smaller than one.
std::vector<Tick> linear_ticks(double low, double high, int count, bool whole = false);
/// Powers of ten within [low, high], and 2 and 5 times them when there are few; round numbers
/// when the range is narrower than that.
std::vector<Tick> log_ticks(double low, double high);

}  // namespace chop::report::svg
