// Breaking text into lines by the rules of Python's textwrap, which tabulate uses.
#include "report/table.hpp"
#include "support/display.hpp"
#include "support/text.hpp"

namespace chop::report {
namespace {

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

bool is_word(char c) {
  return is_letter(c) || (c >= '0' && c <= '9') ||
         std::string_view("!\"'&.,?").find(c) != std::string_view::npos;
}

/// True when a line may end after the hyphen at `i`: "ab-cd" and "a-b-cd" yes, "2L-e" no.
bool breaks_after_hyphen(std::string_view word, std::size_t i) {
  const auto letter = [&](std::size_t at) { return at < word.size() && is_letter(word[at]); };
  const bool two_letters = i >= 2 && letter(i - 1) && letter(i - 2);
  const bool short_part = i >= 3 && is_word(word[i - 1]) && word[i - 2] == '-' && letter(i - 3);
  const std::size_t second = i + 2 < word.size() && word[i + 2] == '-' ? i + 3 : i + 2;
  return (two_letters || short_part) && letter(i + 1) && letter(second);
}

/// Words (cut after hyphens) and runs of spaces, in order.
std::vector<std::string> chunks_of(std::string_view text) {
  std::vector<std::string> chunks;
  std::size_t i = 0;
  while (i < text.size()) {
    const bool space = text[i] == ' ';
    const std::size_t start = i;
    while (i < text.size() && (text[i] == ' ') == space) ++i;
    std::string_view run = text.substr(start, i - start);
    std::size_t from = 0;
    for (std::size_t at = 0; !space && at < run.size(); ++at) {
      if (run[at] != '-' || !breaks_after_hyphen(run, at)) continue;
      chunks.emplace_back(run.substr(from, at + 1 - from));
      from = at + 1;
    }
    if (from < run.size()) chunks.emplace_back(run.substr(from));
  }
  return chunks;
}

/// Splits `text` after its first `width` columns.
std::pair<std::string, std::string> cut(std::string_view text, int width) {
  std::size_t bytes = 0;
  for (const DisplayPiece& piece : display_pieces(text)) {
    if (piece.width > width) break;
    width -= piece.width;
    bytes += piece.bytes.size();
  }
  return {std::string(text.substr(0, bytes)), std::string(text.substr(bytes))};
}

void wrap_line(std::string_view text, int width, std::vector<std::string>& lines) {
  std::string line;
  const auto finish = [&] {
    line.erase(line.find_last_not_of(' ') + 1);
    if (!line.empty()) lines.push_back(std::move(line));
    line.clear();
  };
  for (std::string& chunk : chunks_of(text)) {
    if (display_width(line) + display_width(chunk) <= width) {
      if (!line.empty() || chunk[0] != ' ' || lines.empty()) line += chunk;
      continue;
    }
    if (chunk[0] == ' ') {  // a line never starts with the space it was broken at
      finish();
      continue;
    }
    if (display_width(chunk) <= width) finish();
    while (display_width(chunk) + display_width(line) > width) {
      auto [head, rest] = cut(chunk, width - display_width(line));
      line += head;
      chunk = std::move(rest);
      finish();
    }
    line += chunk;
  }
  finish();
}

}  // namespace

std::vector<std::string> wrap_text(std::string_view text, int width) {
  std::vector<std::string> lines;
  for (const std::string& line : split(text, '\n')) {
    const std::size_t before = lines.size();
    if (width > 0)
      wrap_line(line, width, lines);
    else
      lines.push_back(line);
    if (lines.size() == before) lines.emplace_back();
  }
  return lines;
}

}  // namespace chop::report
