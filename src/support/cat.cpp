#include "support/cat.hpp"

#include <cstdio>

namespace chop::support {

TextPiece::TextPiece(double value)
    : size_(static_cast<std::size_t>(std::snprintf(buffer_, kSize, "%g", value))) {}

std::string cat_pieces(std::initializer_list<TextPiece> pieces) {
  std::size_t size = 0;
  for (const TextPiece& piece : pieces) size += piece.text().size();
  std::string joined;
  joined.reserve(size);
  for (const TextPiece& piece : pieces) joined += piece.text();
  return joined;
}

}  // namespace chop::support
