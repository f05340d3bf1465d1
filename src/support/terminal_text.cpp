#include "support/terminal_text.hpp"

#include "support/escape.hpp"

namespace chop::support {
namespace {

constexpr std::size_t kMostPending = 1 << 16;

/// What the log and tables use (SGR codes), and no code that hides text.
constexpr std::array<std::string_view, 10> kColours = {
    "\x1b[0m",  "\x1b[1m",  "\x1b[31m", "\x1b[32m",   "\x1b[33m",
    "\x1b[34m", "\x1b[35m", "\x1b[36m", "\x1b[1;31m", "\x1b[38;5;8m"};

/// Bytes of the colour that `text` begins with; 0: none of ours.
std::size_t colour_length(std::string_view text) {
  for (const std::string_view colour : kColours)
    if (text.starts_with(colour)) return colour.size();
  return 0;
}

/// Of a character that is whole UTF-8.
unsigned code_point(std::string_view character) {
  const auto byte = [character](std::size_t i) { return static_cast<unsigned char>(character[i]); };
  if (character.size() == 1) return byte(0);
  unsigned code = byte(0) & (0x7FU >> character.size());
  for (std::size_t i = 1; i < character.size(); ++i) code = code << 6 | (byte(i) & 0x3FU);
  return code;
}

bool may_harm(unsigned code) {
  const bool control = code < 0x20 ? code != '\n' && code != '\t' : code >= 0x7F && code < 0xA0;
  const bool direction = code == 0x061C || code == 0x200E || code == 0x200F ||
                         (code >= 0x202A && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);
  return control || direction;
}

std::string as_hex(unsigned number, int digits) {
  std::string hex;
  for (int i = digits - 1; i >= 0; --i) hex += "0123456789abcdef"[number >> (4 * i) & 15U];
  return hex;
}

std::string hex_bytes(std::string_view bytes) {
  std::string text;
  for (const char c : bytes) text += "\\x" + as_hex(static_cast<unsigned char>(c), 2);
  return text;
}

/// `harmful` writes a character that may do harm, or a byte that is no character.
template <class Escape>
std::string with_escapes(std::string_view text, OwnColours colours, Escape harmful) {
  std::string out;
  while (!text.empty()) {
    std::size_t length = colours == OwnColours::Yes ? colour_length(text) : 0;
    if (length == 0) {
      length = utf8_length(text, 0);
      const std::string_view first = text.substr(0, std::max<std::size_t>(length, 1));
      if (length == 0 || may_harm(code_point(first))) {
        out += harmful(first);
        text.remove_prefix(first.size());
        continue;
      }
    }
    out += text.substr(0, length);
    text.remove_prefix(length);
  }
  return out;
}

/// Bytes at the end that may be the beginning of a character or of a colour.
std::size_t unfinished(std::string_view text) {
  for (std::size_t size = 1; size <= std::min<std::size_t>(text.size(), 8); ++size) {
    const std::string_view end = text.substr(text.size() - size);
    const auto first = static_cast<unsigned char>(end[0]);
    const std::size_t wanted = first < 0xC2 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
    if (wanted > size) return size;
    for (const std::string_view colour : kColours)
      if (colour.size() > size && colour.starts_with(end)) return size;
  }
  return 0;
}

}  // namespace

std::string for_terminal(std::string_view text, OwnColours colours) {
  return with_escapes(text, colours, hex_bytes);
}

std::string json_for_terminal(std::string_view json) {
  return with_escapes(json, OwnColours::No, [](std::string_view character) {
    return utf8_length(character, 0) == 0 ? "\\ufffd" : "\\u" + as_hex(code_point(character), 4);
  });
}

TerminalFilter::TerminalFilter(std::ostream& out, OwnColours colours)
    : out_(out), to_(out.rdbuf(this)), colours_(colours) {}

TerminalFilter::~TerminalFilter() {
  drain(Rest::Goes);
  out_.rdbuf(to_);
}

bool TerminalFilter::write_exact(std::string_view text) {
  return drain(Rest::Goes) && to_->sputn(text.data(), static_cast<std::streamsize>(text.size())) ==
                                  static_cast<std::streamsize>(text.size());
}

TerminalFilter::int_type TerminalFilter::overflow(int_type c) {
  if (traits_type::eq_int_type(c, traits_type::eof())) return traits_type::not_eof(c);
  const char one = traits_type::to_char_type(c);
  return xsputn(&one, 1) == 1 ? c : traits_type::eof();
}

std::streamsize TerminalFilter::xsputn(const char* text, std::streamsize size) {
  pending_.append(text, static_cast<std::size_t>(size));
  return pending_.size() < kMostPending || drain(Rest::Waits) ? size : 0;
}

int TerminalFilter::sync() {
  return drain(Rest::Waits) && to_->pubsync() == 0 ? 0 : -1;
}

bool TerminalFilter::drain(Rest rest) {
  const std::size_t size = pending_.size() - (rest == Rest::Waits ? unfinished(pending_) : 0);
  const std::string text = for_terminal(std::string_view(pending_).substr(0, size), colours_);
  pending_.erase(0, size);
  return to_->sputn(text.data(), static_cast<std::streamsize>(text.size())) ==
         static_cast<std::streamsize>(text.size());
}

void write_exact(std::ostream& out, std::string_view text) {
  auto* const filter = dynamic_cast<TerminalFilter*>(out.rdbuf());
  if (filter == nullptr)
    out.write(text.data(), static_cast<std::streamsize>(text.size()));
  else if (!filter->write_exact(text))
    out.setstate(std::ios::badbit);
}

}  // namespace chop::support
