#include "ir/text/text_lexer.hpp"

#include "support/escape.hpp"
#include "support/text.hpp"

namespace chop::ir {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool starts_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

bool continues_word(char c) {
  return starts_word(c) || is_digit(c) || c == '-' || c == '.';
}

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/// What follows the last dot; the whole of a text without one.
std::string_view last_part(std::string_view text) {
  return text.substr(text.rfind('.') + 1);
}

bool is_number_part(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), is_digit);
}

std::optional<std::uint32_t> result_number(std::string_view digits) {
  const auto number = parse_int(digits);
  if (!number || *number > std::int64_t{std::numeric_limits<std::uint32_t>::max()}) return {};
  return static_cast<std::uint32_t>(*number);
}

}  // namespace

bool is_plain_word(std::string_view text) {
  if (text.empty() || !starts_word(text.front()) || text.back() == '.') return false;
  return std::all_of(text.begin(), text.end(), continues_word) &&
         text.find("..") == std::string_view::npos;
}

bool is_plain_node_name(std::string_view text) {
  return is_plain_word(text) && !is_number_part(last_part(text));
}

void Lexer::skip_blanks() {
  while (at_ < source_.size()) {
    if (source_[at_] == '#')
      at_ = std::min(source_.find('\n', at_), source_.size());
    else if (is_blank(source_[at_]))
      ++at_;
    else
      return;
  }
}

std::size_t Lexer::run_end(std::size_t from) const {
  while (from < source_.size() && (continues_word(source_[from]) || source_[from] == '+')) ++from;
  return from;
}

Result<Token> Lexer::next() {
  skip_blanks();
  const std::size_t begin = at_;
  if (begin == source_.size())
    return Token{.kind = TokenKind::End, .text = {}, .begin = begin, .end = begin};
  const char c = source_[begin];
  if (c == '"') return quoted_text();
  if (c == '%') return reference();
  if (starts_word(c)) {
    while (at_ < source_.size() && continues_word(source_[at_])) ++at_;
    std::string word(source_.substr(begin, at_ - begin));
    if (!is_plain_word(word))
      return located({.what = cat("'", word, "' is not a name"), .hint = "write it in quotes"},
                     begin);
    return Token{.kind = TokenKind::Word, .text = std::move(word), .begin = begin, .end = at_};
  }
  if (is_digit(c) || c == '-' || c == '+' || c == '.') {
    at_ = run_end(begin);
    return Token{.kind = TokenKind::Number,
                 .text = std::string(source_.substr(begin, at_ - begin)),
                 .begin = begin,
                 .end = at_};
  }
  if (std::string_view("{}[]()=:,").find(c) != std::string_view::npos) {
    ++at_;
    return Token{
        .kind = TokenKind::Mark, .text = std::string(1, c), .begin = begin, .end = begin + 1};
  }
  const std::size_t length = std::max<std::size_t>(1, utf8_length(source_, begin));
  return located({.what = cat("unexpected character ", in_quotes(source_.substr(begin, length)))},
                 begin);
}

Result<Token> Lexer::quoted_text() {
  const std::size_t begin = at_;
  std::size_t end = begin + 1;
  while (end < source_.size() && source_[end] != '"' && source_[end] != '\n')
    end += source_[end] == '\\' ? 2 : 1;
  if (end >= source_.size() || source_[end] != '"')
    return located({.what = "a quoted text has no end on its line"}, begin);
  std::optional<std::string> text = unescaped(source_.substr(begin + 1, end - begin - 1));
  if (!text)
    return located({.what = "a quoted text holds an unknown escape",
                    .hint = "the escapes are \\\" \\\\ \\n \\r \\t and \\xHH"},
                   begin);
  at_ = end + 1;
  return Token{.kind = TokenKind::Text, .text = *std::move(text), .begin = begin, .end = at_};
}

/// %name, %name.1, %"any name", %"any name".1
Result<Token> Lexer::reference() {
  const std::size_t begin = at_++;
  if (at_ == source_.size() || source_[at_] != '"') return plain_reference(begin);
  CH_TRY(Token token, quoted_text());
  token.kind = TokenKind::Reference;
  token.begin = begin;
  if (at_ < source_.size() && source_[at_] == '.') {
    token.end = run_end(at_ + 1);
    const auto number = result_number(source_.substr(at_ + 1, token.end - at_ - 1));
    if (!number) return located({.what = "expected the number of a result after the dot"}, at_ + 1);
    token.result = *number;
    token.numbered = true;
    at_ = token.end;
  }
  return token;
}

Result<Token> Lexer::plain_reference(std::size_t begin) {
  while (at_ < source_.size() && continues_word(source_[at_])) ++at_;
  std::string_view word = source_.substr(begin + 1, at_ - begin - 1);
  Token token{.kind = TokenKind::Reference, .text = {}, .begin = begin, .end = at_};
  const std::string_view part = last_part(word);
  if (part.size() < word.size() && is_number_part(part)) {
    const auto number = result_number(part);
    if (!number) return located({.what = cat("a node has no result ", part)}, begin);
    token.result = *number;
    token.numbered = true;
    word.remove_suffix(part.size() + 1);
  }
  if (!is_plain_node_name(word))
    return located({.what = cat("expected a node's name after '%', found ", in_quotes(word)),
                    .hint = "write unusual names in quotes: %\"a b\""},
                   begin);
  token.text = word;
  return token;
}

Error Lexer::located(Error error, std::size_t offset) const {
  offset = std::min(offset, source_.size());
  const std::string_view before = source_.substr(0, offset);
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const std::size_t start = before.rfind('\n') + 1;  // npos + 1 is 0
  std::string_view text = source_.substr(start, source_.find('\n', start) - start);
  text = trim(text);
  std::string shown = in_quotes(text.substr(0, 80));
  shown = shown.substr(1, shown.size() - 2);
  return std::move(error).note(cat("line ", line, ", column ", offset - start + 1, ": ", shown,
                                   text.size() > 80 ? "..." : ""));
}

}  // namespace chop::ir
