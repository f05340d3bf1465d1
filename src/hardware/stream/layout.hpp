// Tensors as tokens, and windows that move over them.
#pragma once

#include "hardware/integer/integer_graph.hpp"

namespace chop::hardware {

/// [c, h, w]: a token for each position, row by row, with an element for each channel.
struct TokenLayout {
  std::int64_t channels = 1;
  std::int64_t height = 1;
  std::int64_t width = 1;

  std::int64_t tokens() const { return height * width; }
  std::int64_t size() const { return channels * tokens(); }
  /// The element of a tensor that is channel `c` of token `t`.
  std::size_t at(std::int64_t c, std::int64_t t) const {
    return static_cast<std::size_t>(c * tokens() + t);
  }
  /// Of each token, its elements as numbers of the tensor's.
  std::vector<std::vector<std::size_t>> elements() const;
  bool operator==(const TokenLayout&) const = default;
};
/// [f] is one token, [c, l] and [c, h, w] are many; all else is one token.
TokenLayout layout_of(const Shape& shape);
/// The least range of each channel.
std::vector<Interval> channel_ranges(const IntegerType& type, const TokenLayout& layout);

/// An element of a window: channel, and where it is from the window's position times the stride.
struct Tap {
  std::int64_t channel = 0;
  std::int64_t dy = 0;
  std::int64_t dx = 0;
  bool may_be_outside = false;
};

/// Windows over tokens, whose positions are those of the result, row by row.
struct Windows {
  std::vector<Tap> taps = {};
  std::int64_t stride_y = 1;
  std::int64_t stride_x = 1;
  std::int64_t height = 1;  ///< of the result
  std::int64_t width = 1;

  /// Of one position each, in step with the tokens: no buffer is needed.
  bool is_pointwise(const TokenLayout& from) const;
};

/// What a list of windows is (see hardware/ops/linear.cpp): `columns` elements of `from` for each
/// position of a result of that size. None where they do not move evenly.
std::optional<Windows> fit_windows(const TokenLayout& from, const Codes& window,
                                   std::size_t columns, std::int64_t height, std::int64_t width);
/// Windows of single channels, of the same form in each, as poolings have: for every channel of
/// `to` those of its positions, one after the other.
std::optional<Windows> fit_planes(const TokenLayout& from, const Codes& window, std::size_t columns,
                                  const TokenLayout& to);
/// All elements of a tensor at once, in order.
Windows whole_frame(const TokenLayout& from);

}  // namespace chop::hardware
