// cat("rank ", 3, " of '", name, "'"): joins texts and numbers into one string.
//
// The arguments become TextPieces, so only their conversion is compiled at each call; the joining
// itself is one ordinary function.
#pragma once

#include <charconv>
#include <concepts>
#include <initializer_list>

#include "support/layers.hpp"

namespace chop::support {

/// One argument of cat(), as text. Refers to the argument, so it must not outlive the call.
class TextPiece {
 public:
  TextPiece(const char* text) : text_(text) {}
  TextPiece(std::string_view text) : text_(text) {}
  TextPiece(const std::string& text) : text_(text) {}
  TextPiece(char character) : size_(1) { buffer_[0] = character; }
  TextPiece(bool value) : TextPiece(value ? '1' : '0') {}
  /// Six significant digits, as printf's %g; support/text.hpp has exact() for all of them.
  TextPiece(double value);
  template <std::integral Integer>
  TextPiece(Integer value)
      : size_(static_cast<std::size_t>(std::to_chars(buffer_, buffer_ + kSize, value).ptr -
                                       buffer_)) {}
  TextPiece(const TextPiece&) = delete;
  TextPiece& operator=(const TextPiece&) = delete;

  std::string_view text() const { return size_ > 0 ? std::string_view(buffer_, size_) : text_; }

 private:
  static constexpr std::size_t kSize = 24;  // "-9223372036854775808", "-1.23457e-308"

  std::string_view text_;
  std::size_t size_ = 0;
  char buffer_[kSize];
};

std::string cat_pieces(std::initializer_list<TextPiece> pieces);

template <class... Parts>
std::string cat(const Parts&... parts) {
  return cat_pieces({TextPiece(parts)...});
}

}  // namespace chop::support
