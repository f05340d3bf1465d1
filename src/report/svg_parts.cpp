#include "report/svg_parts.hpp"

#include <charconv>

#include "support/display.hpp"
#include "support/result.hpp"
#include "support/text.hpp"

namespace chop::report::svg {
namespace {

std::string fixed(double value, int decimals) {
  std::array<char, 400> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                                 std::chars_format::fixed, decimals)
                       .ptr;
  std::string text(buffer.data(), end);
  return text.find_first_not_of("-0.") == std::string::npos && text[0] == '-' ? text.substr(1)
                                                                              : text;
}

std::string_view anchor_name(Anchor anchor) {
  return anchor == Anchor::Start ? "start" : anchor == Anchor::Middle ? "middle" : "end";
}

/// 12500 as "12,500", 0.25 as "0.25", 3e-07 as "3e-07".
std::string tick_label(double value, double step) {
  if (value == 0) return "0";
  if (std::abs(value) >= 1e7 || step < 1e-4) {
    std::array<char, 64> buffer{};
    const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                                   std::chars_format::general, 6)
                         .ptr;
    return {buffer.data(), end};
  }
  if (step >= 1) return with_commas(std::llround(value));
  return fixed(value, static_cast<int>(std::ceil(-std::log10(step) - 1e-9)));
}

}  // namespace

std::string number(double value) {
  std::string text = fixed(value, 2);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text;
}

std::string escaped(std::string_view text) {
  std::string out;
  for (const DisplayPiece& piece : display_pieces(text)) {
    const auto first = static_cast<unsigned char>(piece.bytes[0]);
    if (piece.width == 0) continue;  // a colour has no meaning here
    const bool stray = piece.bytes.size() == 1 && (first < 0x20 || first >= 0x7f);
    if (stray) {
      out += "\xef\xbf\xbd";
    } else if (first == '&') {
      out += "&amp;";
    } else if (first == '<') {
      out += "&lt;";
    } else if (first == '>') {
      out += "&gt;";
    } else if (first == '"') {
      out += "&quot;";
    } else {
      out += piece.bytes;
    }
  }
  return out;
}

double text_width(std::string_view text, double size) {
  return 0.56 * size * display_width(text);
}

void Canvas::text(double x, double y, std::string_view content, const TextStyle& style) {
  std::string element = cat("<text x=\"", number(x), "\" y=\"", number(y), "\" font-size=\"",
                            number(style.size), "\" fill=\"", style.fill, "\"");
  if (style.anchor != Anchor::Start)
    element += cat(" text-anchor=\"", anchor_name(style.anchor), "\"");
  if (style.bold) element += " font-weight=\"600\"";
  if (style.rotate != 0)
    element +=
        cat(" transform=\"rotate(", number(style.rotate), " ", number(x), " ", number(y), ")\"");
  raw(cat(element, ">", escaped(content), "</text>"));
}

void Canvas::line(double x1, double y1, double x2, double y2, std::string_view stroke, double width,
                  std::string_view dash) {
  const std::string dashes = dash.empty() ? "" : cat(" stroke-dasharray=\"", dash, "\"");
  raw(cat("<line x1=\"", number(x1), "\" y1=\"", number(y1), "\" x2=\"", number(x2), "\" y2=\"",
          number(y2), "\" stroke=\"", stroke, "\" stroke-width=\"", number(width), "\"", dashes,
          "/>"));
}

void Canvas::box(double x, double y, double width, double height, std::string_view fill,
                 double radius) {
  const std::string round = radius > 0 ? cat(" rx=\"", number(radius), "\"") : "";
  raw(cat("<rect x=\"", number(x), "\" y=\"", number(y), "\" width=\"", number(width),
          "\" height=\"", number(height), "\" fill=\"", fill, "\"", round, "/>"));
}

std::string Canvas::finish(double width, double height, std::string_view title) const {
  const std::string size = cat(number(width), "\" height=\"", number(height));
  return cat("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"", size, "\" viewBox=\"0 0 ",
             number(width), " ", number(height),
             "\" font-family=\"Inter, 'Segoe UI', Helvetica, Arial, 'DejaVu Sans', sans-serif\">\n",
             "<title>", escaped(title), "</title>\n<rect width=\"", size, "\" fill=\"#ffffff\"/>\n",
             body_, "</svg>\n");
}

std::vector<Tick> linear_ticks(double low, double high, int count, bool whole) {
  const double rough = (high - low) / std::max(count, 1);
  if (!(rough > 0) || !std::isfinite(rough)) return {};
  const double power = std::pow(10.0, std::floor(std::log10(rough)));
  if (!(power > 0)) return {};
  double step = 10 * power;
  for (const double factor : {1.0, 2.0, 5.0})
    if (factor * power >= 0.7 * rough) {
      step = factor * power;
      break;
    }
  if (whole) step = std::max(step, 1.0);
  std::vector<Tick> ticks;
  const double slack = 1e-9 * step;
  for (double k = std::ceil((low - slack) / step); k * step <= high + slack; k += 1) {
    if (ticks.size() > 100) break;  // steps too small for a double to tell apart
    ticks.push_back({.at = k * step, .label = tick_label(k * step, step)});
  }
  return ticks;
}

std::vector<Tick> log_ticks(double low, double high) {
  if (!(low > 0) || !(high > low) || !std::isfinite(high)) return {};
  const double decades = std::log10(high) - std::log10(low);  // high / low may overflow
  const int first = static_cast<int>(std::floor(std::log10(low)));
  const int last = static_cast<int>(std::ceil(std::log10(high)));
  const int stride = std::max(1, static_cast<int>(std::ceil(decades / 8)));
  std::vector<Tick> ticks;
  for (int exponent = first; exponent <= last; exponent += stride)
    for (const double factor : {1.0, 2.0, 5.0}) {
      const double power = std::pow(10.0, exponent);
      const double value = factor * power;
      const bool wanted = value > 0 && (factor == 1 || decades < 2.5);
      if (!wanted || value < low * (1 - 1e-9) || value > high * (1 + 1e-9)) continue;
      ticks.push_back({.at = value, .label = tick_label(value, power)});
    }
  if (ticks.size() < 3 && decades < 1) return linear_ticks(low, high, 6);
  return ticks;
}

}  // namespace chop::report::svg
