// The common parts of the text form: names, lists, numbers to the last bit, attributes.
#pragma once

#include <charconv>

#include "ir/attr.hpp"
#include "ir/text/text_lexer.hpp"
#include "support/text.hpp"
#include "tensor/tensor.hpp"

namespace chop::ir {

/// Holds the current token; each read_... takes what it names and moves past it.
class TextParser {
 public:
  explicit TextParser(std::string_view source) : lexer_(source) {}

  const Token& token() const { return token_; }
  std::string_view source() const { return lexer_.source(); }
  std::size_t offset() const { return token_.begin; }

  Status advance();
  /// Continues with the token that starts at or after `offset`.
  Status jump(std::size_t offset);
  Status expect(std::string_view mark);
  Status expect_word(std::string_view word);

  /// "expected WHAT, found 'x'", with line and column.
  Error expected(const std::string& what) const;
  Error located(Error error) const { return lexer_.located(std::move(error), token_.begin); }
  Error located(Error error, std::size_t offset) const {
    return lexer_.located(std::move(error), offset);
  }

  /// A word or a quoted text.
  Result<std::string> read_name(const std::string& what);
  Result<bool> read_flag();
  template <class T>
  Result<T> read_whole();
  Result<double> read_real();
  Result<float> read_float();
  /// The bits of an f16 or bf16.
  Result<std::uint16_t> read_half(DType dtype);
  Result<Attrs> read_attrs();

  /// Calls read_item() for each item up to `close`, with commas between. The opening mark
  /// has been read.
  template <class ReadItem>
  Status read_list(std::string_view close, ReadItem read_item);

 private:
  Result<std::string> read_real_text();
  Result<Attr> read_attr();
  Result<Attr> read_number_attr();
  template <class T, class Read>
  Result<Attr> read_numbers(Read read);
  template <class T, class Parse>
  Result<T> read_number(Parse parse);

  Lexer lexer_;
  Token token_;
};

template <class T>
Result<T> TextParser::read_whole() {
  T value{};
  std::string_view digits = token_.text;
  if (digits.starts_with('+')) digits.remove_prefix(1);
  const char* end = digits.data() + digits.size();
  if (token_.kind != TokenKind::Number ||
      std::from_chars(digits.data(), end, value) != std::from_chars_result{end, std::errc()})
    return expected(cat("a whole number of ", 8 * sizeof(T), " bits"));
  CH_CHECK(advance());
  return value;
}

template <class ReadItem>
Status TextParser::read_list(std::string_view close, ReadItem read_item) {
  if (token_.is(close)) return advance();
  while (true) {
    CH_CHECK(read_item());
    if (token_.is(close)) return advance();
    if (!token_.is(",")) return expected(cat("',' or '", close, "'"));
    CH_CHECK(advance());
  }
}

}  // namespace chop::ir
