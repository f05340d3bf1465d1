// Raw bytes, and texts cut into words, numbers, quoted strings and signs.
#include <cctype>

#include "mutate/mutators.hpp"
#include "support/text.hpp"

namespace chop::mutate {
namespace {

enum class Part : std::uint8_t { Word, Number, Space, Sign };

Part part_of(char c) {
  const auto byte = static_cast<unsigned char>(c);
  if (std::isdigit(byte) != 0) return Part::Number;
  if (std::isalpha(byte) != 0 || c == '_' || byte >= 0x80) return Part::Word;
  return c == ' ' || c == '\t' ? Part::Space : Part::Sign;
}

/// Words keep their digits, numbers their dots; every sign stands alone.
Words cut(const std::string& text) {
  Words parts;
  for (std::size_t at = 0; at < text.size();) {
    const Part first = part_of(text[at]);
    std::size_t end = at + 1;
    while (end < text.size() && first != Part::Sign &&
           (part_of(text[end]) == first ||
            (first == Part::Word && part_of(text[end]) == Part::Number) ||
            (first == Part::Number && text[end] == '.')))
      ++end;
    parts.push_back(text.substr(at, end - at));
    at = end;
  }
  return parts;
}

std::string changed_part(const std::string& part, const Words& words, Random& random) {
  const Part kind = part.empty() ? Part::Space : part_of(part[0]);
  if (kind == Part::Number && part.find('.') == std::string::npos)
    return cat(changed_number(parse_int(part).value_or(1), random));
  if (kind == Part::Number) return exact(changed_number(parse_double(part).value_or(1), random));
  if (kind == Part::Word) return changed_word(part, words, random);
  static const Words kSigns = {"=", ".",  ",", "[", "]", "{", "}", "\"", "'",
                               "#", "\n", "-", ":", "(", ")", "%", ""};
  return random.of(kSigns);
}

void change_line(Words& lines, Random& random) {
  const auto at = lines.begin() + static_cast<std::ptrdiff_t>(random.below(lines.size()));
  switch (random.below(3)) {
    case 0:
      lines.erase(at);
      break;
    case 1:
      lines.insert(at, random.of(lines));
      break;
    default:
      std::swap(*at, lines[random.below(lines.size())]);
  }
}

}  // namespace

std::string mutate_bytes(const std::string& file, Random& random) {
  std::string bytes = file;
  if (bytes.empty()) return std::string(1, static_cast<char>(random.below(256)));
  const std::size_t at = random.below(bytes.size());
  switch (random.below(7)) {
    case 0:
      bytes[at] = static_cast<char>(bytes[at] ^ (1 << random.below(8)));
      break;
    case 1:
      bytes[at] = static_cast<char>(random.below(256));
      break;
    case 2:
      bytes.erase(at, 1 + random.below(8));
      break;
    case 3:
      bytes.insert(at, bytes.substr(random.below(bytes.size()), 1 + random.below(16)));
      break;
    case 4:
      bytes.resize(at);
      break;
    case 5:
      bytes[at] = static_cast<char>(0xFF);
      break;
    default:
      bytes.insert(at, 1, static_cast<char>(random.below(256)));
  }
  return bytes;
}

std::string mutate_text(const std::string& file, Random& random) {
  if (random.one_in(12)) return mutate_bytes(file, random);
  std::string text = file;
  for (std::size_t changes = random.one_in(3) ? 2 : 1; changes > 0; --changes) {
    if (text.empty()) return text;
    if (random.one_in(5)) {
      Words lines = split(text, '\n');
      change_line(lines, random);
      text = join(lines, "\n");
      continue;
    }
    Words parts = cut(text);
    Words words;
    for (const std::string& part : parts)
      if (part_of(part[0]) == Part::Word) words.push_back(part);
    // Of every four changes three touch a word or a number.
    std::size_t at = random.below(parts.size());
    for (int tries = 0; tries < 8 && part_of(parts[at][0]) >= Part::Space; ++tries)
      at = random.below(parts.size());
    parts[at] = changed_part(parts[at], words, random);
    text = join(parts, "");
  }
  return text;
}

}  // namespace chop::mutate
