#include "ir/text/text_parser.hpp"

#include <bit>

#include "support/escape.hpp"

namespace chop::ir {
namespace {

/// The bits of the nearest half, or those of nan(0x7e01).
std::optional<std::uint16_t> parse_half(std::string_view text, DType dtype) {
  if (text.find('(') != std::string_view::npos) {
    // As the last bits of a double that is a NaN in any case.
    if (text.size() != 11 || text[5] != 'x') return {};
    const auto wide = parse_exact(cat("nan(0x7ff800000000", text.substr(6)));
    if (!wide) return {};
    const auto bits = static_cast<std::uint16_t>(std::bit_cast<std::uint64_t>(*wide) & 0xFFFFU);
    const std::uint16_t infinity = dtype == DType::F16 ? 0x7C00 : 0x7F80;
    if ((bits & 0x7FFF) <= infinity) return {};
    return bits;
  }
  const auto value = parse_exact(text);
  if (!value) return {};
  return Tensor::scalar(*value, dtype).data<std::uint16_t>()[0];
}

}  // namespace

Status TextParser::advance() {
  CH_TRY(token_, lexer_.next());
  return {};
}

Status TextParser::jump(std::size_t offset) {
  lexer_.jump(offset);
  return advance();
}

Status TextParser::expect(std::string_view mark) {
  if (!token_.is(mark)) return expected(cat("'", mark, "'"));
  return advance();
}

Status TextParser::expect_word(std::string_view word) {
  if (!token_.is_word(word)) return expected(cat("'", word, "'"));
  return advance();
}

Error TextParser::expected(const std::string& what) const {
  const std::size_t length = std::min<std::size_t>(token_.end - token_.begin, 40);
  std::string found = "the end of the text";
  if (token_.kind == TokenKind::Text)
    found = in_quotes(token_.text.substr(0, 40));
  else if (token_.kind != TokenKind::End)
    found = cat("'", source().substr(token_.begin, length), "'");
  return located({.what = cat("expected ", what, ", found ", found)});
}

Result<std::string> TextParser::read_name(const std::string& what) {
  if (token_.kind != TokenKind::Word && token_.kind != TokenKind::Text) return expected(what);
  std::string name = std::move(token_.text);
  CH_CHECK(advance());
  return name;
}

Result<bool> TextParser::read_flag() {
  if (!token_.is_word("true") && !token_.is_word("false")) return expected("true or false");
  const bool value = token_.is_word("true");
  CH_CHECK(advance());
  return value;
}

/// The text of a real number, nan(0x...) in one piece.
Result<std::string> TextParser::read_real_text() {
  if (token_.kind != TokenKind::Number && !token_.is_word("nan") && !token_.is_word("inf"))
    return expected("a number");
  std::string text = std::move(token_.text);
  CH_CHECK(advance());
  if (text != "nan" || !token_.is("(")) return text;
  CH_CHECK(advance());
  if (token_.kind != TokenKind::Number) return expected("the bits of a NaN, 0x...");
  text += "(" + token_.text + ")";
  CH_CHECK(advance());
  CH_CHECK(expect(")"));
  return text;
}

template <class T, class Parse>
Result<T> TextParser::read_number(Parse parse) {
  const std::size_t begin = offset();
  CH_TRY(const std::string text, read_real_text());
  const std::optional<T> value = parse(text);
  if (!value) return located({.what = cat("'", text, "' is not a number that fits")}, begin);
  return *value;
}

Result<double> TextParser::read_real() {
  return read_number<double>([](std::string_view text) { return parse_exact(text); });
}

Result<float> TextParser::read_float() {
  return read_number<float>([](std::string_view text) { return parse_exact_float(text); });
}

Result<std::uint16_t> TextParser::read_half(DType dtype) {
  return read_number<std::uint16_t>(
      [dtype](std::string_view text) { return parse_half(text, dtype); });
}

Result<Attrs> TextParser::read_attrs() {
  Attrs attrs;
  CH_CHECK(expect("{"));
  const auto read_one = [&]() -> Status {
    const std::size_t begin = offset();
    CH_TRY(std::string name, read_name("an attribute's name"));
    if (attrs.contains(name))
      return located({.what = cat("a second attribute is named ", in_quotes(name))}, begin);
    CH_CHECK(expect("="));
    CH_TRY(attrs[std::move(name)], read_attr());
    return {};
  };
  CH_CHECK(read_list("}", read_one));
  return attrs;
}

Result<Attr> TextParser::read_attr() {
  if (token_.kind == TokenKind::Text) {
    Attr attr = std::move(token_.text);
    CH_CHECK(advance());
    return attr;
  }
  if (token_.is_word("true") || token_.is_word("false")) {
    CH_TRY(const bool flag, read_flag());
    return Attr(flag);
  }
  if (token_.is("["))
    return read_numbers<std::int64_t>([this] { return read_whole<std::int64_t>(); });
  if (token_.is_word("reals")) {
    CH_CHECK(advance());
    return read_numbers<double>([this] { return read_real(); });
  }
  return read_number_attr();
}

Result<Attr> TextParser::read_number_attr() {
  if (token_.kind != TokenKind::Number && !token_.is_word("nan") && !token_.is_word("inf"))
    return expected("a value: true, 3, 0.5, \"text\", [1, 2] or reals[0.5]");
  if (token_.text.find_first_of(".eEn") == std::string::npos) {
    CH_TRY(const std::int64_t value, read_whole<std::int64_t>());
    return Attr(value);
  }
  CH_TRY(const double value, read_real());
  return Attr(value);
}

template <class T, class Read>
Result<Attr> TextParser::read_numbers(Read read) {
  std::vector<T> values;
  CH_CHECK(expect("["));
  const auto read_one = [&]() -> Status {
    CH_TRY(values.emplace_back(), read());
    return {};
  };
  CH_CHECK(read_list("]", read_one));
  return Attr(std::move(values));
}

}  // namespace chop::ir
