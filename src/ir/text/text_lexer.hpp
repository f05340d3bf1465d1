// The lexer of the text form: words, numbers, strings and punctuation, with their offsets in the
// source.
#pragma once

#include "support/result.hpp"

namespace chop::ir {

/// A dotted path that needs no quotes: seq_blocks.0.weight, jsc-tiny.
bool is_plain_word(std::string_view text);
/// Whether a node may be called this without quotes: a plain word that does not end in a
/// number of its own, which would read as the number of a result.
bool is_plain_node_name(std::string_view text);

enum class TokenKind : std::uint8_t { Word, Number, Text, Reference, Mark, End };

struct Token {
  TokenKind kind = TokenKind::End;
  std::string text;          ///< unquoted; the node's name of a reference
  std::uint32_t result = 0;  ///< of a reference: %split.1
  bool numbered = false;     ///< whether the reference gave that number
  std::size_t begin = 0;     ///< offsets in the source
  std::size_t end = 0;

  bool is(std::string_view mark) const { return kind == TokenKind::Mark && text == mark; }
  bool is_word(std::string_view word) const { return kind == TokenKind::Word && text == word; }
};

class Lexer {
 public:
  explicit Lexer(std::string_view source) : source_(source) {}

  /// The next token; an error has its line and column.
  Result<Token> next();
  std::string_view source() const { return source_; }
  /// Continues from another offset.
  void jump(std::size_t offset) { at_ = offset; }

  /// Adds "line 3, column 14: <the line>" to an error.
  Error located(Error error, std::size_t offset) const;

 private:
  void skip_blanks();
  std::size_t run_end(std::size_t from) const;
  Result<Token> quoted_text();
  Result<Token> reference();
  Result<Token> plain_reference(std::size_t begin);

  std::string_view source_;
  std::size_t at_ = 0;
};

}  // namespace chop::ir
