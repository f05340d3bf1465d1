#include "hardware/stream/layout.hpp"

namespace chop::hardware {
namespace {

struct Position {
  std::int64_t channel, y, x;
};

Position position_of(const TokenLayout& from, std::int64_t element) {
  return {element / from.tokens(), element % from.tokens() / from.width, element % from.width};
}

/// Finds strides and offsets from the elements that are not padding, then checks all of them.
class Fit {
 public:
  Fit(const TokenLayout& from, const Codes& window, std::size_t columns, Windows& to)
      : from_(from), window_(window), columns_(columns), to_(to) {}

  bool run() {
    to_.taps.resize(columns_);
    if (!find_strides()) return false;
    for (std::size_t k = 0; k < columns_; ++k)
      if (!find_tap(k)) return false;
    return true;
  }

 private:
  std::size_t positions() const { return window_.size() / columns_; }
  std::int64_t at(std::size_t p, std::size_t k) const { return window_[p * columns_ + k]; }
  std::int64_t row(std::size_t p) const { return static_cast<std::int64_t>(p) / to_.width; }
  std::int64_t column(std::size_t p) const { return static_cast<std::int64_t>(p) % to_.width; }

  /// From the first pairs of neighbours of which none is padding.
  bool find_strides() {
    const auto step = static_cast<std::size_t>(to_.width);
    bool has_y = to_.height == 1;
    bool has_x = to_.width == 1;
    for (std::size_t p = 0; p < positions() && !(has_y && has_x); ++p)
      for (std::size_t k = 0; k < columns_; ++k) {
        if (at(p, k) < 0) continue;
        const Position here = position_of(from_, at(p, k));
        if (!has_x && column(p) + 1 < to_.width && at(p + 1, k) >= 0) {
          to_.stride_x = position_of(from_, at(p + 1, k)).x - here.x;
          has_x = true;
        }
        if (!has_y && row(p) + 1 < to_.height && at(p + step, k) >= 0) {
          to_.stride_y = position_of(from_, at(p + step, k)).y - here.y;
          has_y = true;
        }
      }
    return has_y && has_x && to_.stride_y > 0 && to_.stride_x > 0;
  }

  bool find_tap(std::size_t k) {
    std::size_t first = 0;
    while (first < positions() && at(first, k) < 0) ++first;
    if (first == positions()) return false;
    const Position known = position_of(from_, at(first, k));
    Tap& tap = to_.taps[k];
    tap = {.channel = known.channel,
           .dy = known.y - row(first) * to_.stride_y,
           .dx = known.x - column(first) * to_.stride_x};
    for (std::size_t p = 0; p < positions(); ++p) {
      const std::int64_t y = row(p) * to_.stride_y + tap.dy;
      const std::int64_t x = column(p) * to_.stride_x + tap.dx;
      const bool inside = y >= 0 && y < from_.height && x >= 0 && x < from_.width;
      tap.may_be_outside |= !inside;
      const std::int64_t wanted =
          inside ? (tap.channel * from_.height + y) * from_.width + x : std::int64_t{-1};
      if (at(p, k) != wanted) return false;
    }
    return true;
  }

  const TokenLayout& from_;
  const Codes& window_;
  std::size_t columns_;
  Windows& to_;
};

}  // namespace

TokenLayout layout_of(const Shape& shape) {
  if (shape.size() == 2) return {shape[0], 1, shape[1]};
  if (shape.size() == 3) return {shape[0], shape[1], shape[2]};
  return {numel(shape), 1, 1};
}

std::vector<std::vector<std::size_t>> TokenLayout::elements() const {
  std::vector<std::vector<std::size_t>> all;
  for (std::int64_t t = 0; t < tokens(); ++t) {
    std::vector<std::size_t> own;
    for (std::int64_t c = 0; c < channels; ++c) own.push_back(at(c, t));
    all.push_back(std::move(own));
  }
  return all;
}

std::vector<Interval> channel_ranges(const IntegerType& type, const TokenLayout& layout) {
  std::vector<Interval> ranges;
  for (std::int64_t c = 0; c < layout.channels; ++c) {
    Interval all = type.ranges[layout.at(c, 0)];
    for (std::int64_t t = 1; t < layout.tokens(); ++t)
      all = hull(all, type.ranges[layout.at(c, t)]);
    ranges.push_back(all);
  }
  return ranges;
}

bool Windows::is_pointwise(const TokenLayout& from) const {
  if (stride_y != 1 || stride_x != 1 || height != from.height || width != from.width) return false;
  return std::all_of(taps.begin(), taps.end(),
                     [](const Tap& tap) { return tap.dy == 0 && tap.dx == 0; });
}

std::optional<Windows> fit_windows(const TokenLayout& from, const Codes& window,
                                   std::size_t columns, std::int64_t height, std::int64_t width) {
  Windows windows{.height = height, .width = width};
  if (columns == 0 || window.size() != columns * static_cast<std::size_t>(height * width))
    return {};
  if (!Fit(from, window, columns, windows).run()) return {};
  return windows;
}

std::optional<Windows> fit_planes(const TokenLayout& from, const Codes& window, std::size_t columns,
                                  const TokenLayout& to) {
  if (from.channels != to.channels) return {};
  Windows all{.height = to.height, .width = to.width};
  const auto positions = static_cast<std::size_t>(to.tokens());
  if (window.size() != columns * positions * static_cast<std::size_t>(to.channels)) return {};
  for (std::int64_t c = 0; c < to.channels; ++c) {
    const auto first = window.begin() + c * static_cast<std::int64_t>(columns * positions);
    const Codes own(first, first + static_cast<std::int64_t>(columns * positions));
    const auto fitted = fit_windows(from, own, columns, to.height, to.width);
    if (!fitted) return {};
    if (c > 0 && (fitted->stride_x != all.stride_x || fitted->stride_y != all.stride_y)) return {};
    all.stride_x = fitted->stride_x;
    all.stride_y = fitted->stride_y;
    for (const Tap& tap : fitted->taps) {
      if (tap.channel != c) return {};
      all.taps.push_back(tap);
    }
  }
  return all;
}

Windows whole_frame(const TokenLayout& from) {
  Windows windows;
  for (std::int64_t c = 0; c < from.channels; ++c)
    for (std::int64_t y = 0; y < from.height; ++y)
      for (std::int64_t x = 0; x < from.width; ++x) windows.taps.push_back({c, y, x, false});
  return windows;
}

}  // namespace chop::hardware
