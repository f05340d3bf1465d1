// Opcodes of plain values: numbers, texts, lists, tuples, dicts.
#include "io/torch/pickle_machine.hpp"
#include "io/torch/pickle_scalars.hpp"
#include "support/escape.hpp"
#include "support/text.hpp"

namespace chop::io {

Status PickleMachine::protocol(unsigned char code) {
  constexpr std::size_t kNewest = 5;
  if (code == 0x95) return take(8) ? Status() : broken("it ends in the middle of a frame");
  CH_TRY(const std::size_t version, take_length(1));
  if (version > kNewest)
    return broken(cat("it is of protocol ", version, "; protocols 0 to 5 are read"));
  return {};
}

Status PickleMachine::stack(unsigned char code) {
  switch (code) {
    case '(':
      if (marks_.size() >= limits_.values) return too_many("marks");
      marks_.push_back(stack_.size());
      return {};
    case '1':
      return pop_to_mark() ? Status() : broken("it goes back to a mark that was never set");
    case '2': {
      CH_TRY(const PickleId id, top());
      return push_id(id);
    }
    default: {  // POP and STOP
      CH_TRY(const PickleId id, pop());
      stopped_ = code == '.';
      out_.root = id;
      return {};
    }
  }
}

Status PickleMachine::constant(unsigned char code) {
  if (code == 'N') return push({.kind = PickleKind::None});
  return push({.kind = PickleKind::Bool, .integer = code == 0x88 ? 1 : 0});
}

Status PickleMachine::number(unsigned char code) {
  if (code == 'G') {
    CH_TRY(const std::string_view bytes, take(8));
    return push({.kind = PickleKind::Real, .real = pickle_real(bytes)});
  }
  if (code == 'J') {
    CH_TRY(const std::string_view bytes, take(4));
    return push({.kind = PickleKind::Int, .integer = pickle_int(bytes)});
  }
  CH_TRY(const std::size_t value, take_length(code == 'K' ? 1 : 2));
  return push({.kind = PickleKind::Int, .integer = static_cast<std::int64_t>(value)});
}

Status PickleMachine::number_line(unsigned char code) {
  CH_TRY(std::string_view line, take_line());
  if (code == 'F') {
    const std::optional<double> value = parse_double(line);
    if (!value) return broken(cat("'", shown_in_message(line), "' is no number"));
    return push({.kind = PickleKind::Real, .real = *value});
  }
  if (code == 'I' && (line == "00" || line == "01"))
    return push({.kind = PickleKind::Bool, .integer = line == "01" ? 1 : 0});
  if (code == 'L' && line.ends_with('L')) line.remove_suffix(1);
  if (const std::optional<std::int64_t> value = parse_int(line))
    return push({.kind = PickleKind::Int, .integer = *value});
  const std::string_view digits = line.substr(line.starts_with('-') ? 1 : 0);
  if (digits.empty() || digits.find_first_not_of("0123456789") != std::string_view::npos)
    return broken(cat("'", shown_in_message(line), "' is no whole number"));
  return push({.kind = PickleKind::LongInt, .text = line});
}

Status PickleMachine::long_number(unsigned char code) {
  CH_TRY(const std::string_view bytes, take_sized(code == 0x8A ? 1 : 4));
  if (bytes.size() > 8) return push({.kind = PickleKind::LongInt, .text = bytes});
  return push({.kind = PickleKind::Int, .integer = pickle_int(bytes)});
}

Status PickleMachine::text(unsigned char code) {
  const std::size_t width = code == 0x8C || code == 'U' ? 1 : code == 0x8D ? 8 : 4;
  CH_TRY(const std::string_view bytes, take_sized(width));
  if (is_utf8(bytes)) return push({.kind = PickleKind::Text, .text = bytes});
  // What Python 2 wrote as str may be any bytes.
  if (code == 'U' || code == 'T') return push({.kind = PickleKind::Bytes, .text = bytes});
  return broken("a text is not UTF-8");
}

Status PickleMachine::text_line(unsigned char code) {
  CH_TRY(const std::string_view line, take_line());
  std::optional<std::string> text = code == 'S' ? unquoted_string(line) : unescaped_unicode(line);
  if (!text) return broken(cat("'", shown_in_message(line), "' is no text of protocol 0"));
  const std::string_view kept = keep(*std::move(text));
  return push({.kind = is_utf8(kept) ? PickleKind::Text : PickleKind::Bytes, .text = kept});
}

Status PickleMachine::binary(unsigned char code) {
  const std::size_t width = code == 'C' ? 1 : code == 'B' ? 4 : 8;
  CH_TRY(const std::string_view bytes, take_sized(width));
  return push({.kind = PickleKind::Bytes, .text = bytes});
}

Status PickleMachine::empty(unsigned char code) {
  const PickleKind kind = code == ']'   ? PickleKind::List
                          : code == '}' ? PickleKind::Dict
                          : code == ')' ? PickleKind::Tuple
                                        : PickleKind::Set;
  return push({.kind = kind});
}

Status PickleMachine::tuple(unsigned char code) {
  const auto count = static_cast<std::size_t>(code - 0x84);
  std::array<PickleId, 3> items{};
  for (std::size_t i = count; i-- > 0;) {
    CH_TRY(items[i], pop());
  }
  return push_with(PickleKind::Tuple, std::span(items).first(count));
}

/// Everything since the mark as one value: LIST, TUPLE, DICT, FROZENSET.
Status PickleMachine::collect(unsigned char code) {
  CH_TRY(const std::vector<PickleId> items, pop_to_mark());
  if (code == 'd' && items.size() % 2 != 0) return broken("a dict has a key without a value");
  const PickleKind kind = code == 'l'   ? PickleKind::List
                          : code == 't' ? PickleKind::Tuple
                          : code == 'd' ? PickleKind::Dict
                                        : PickleKind::Set;
  return push_with(kind, items);
}

/// APPEND, APPENDS, ADDITEMS: to the list or set below.
Status PickleMachine::append(unsigned char code) {
  std::vector<PickleId> items;
  if (code == 'a') {
    CH_TRY(items.emplace_back(), pop());
  } else {
    CH_TRY(items, pop_to_mark());
  }
  CH_TRY(const PickleId into, top());
  if (out_[into].kind != (code == 0x90 ? PickleKind::Set : PickleKind::List))
    return broken("it appends to something that is no list");
  return add(into, items);
}

Status PickleMachine::set_items(unsigned char code) {
  std::vector<PickleId> items(2);
  if (code == 's') {
    CH_TRY(items[1], pop());
    CH_TRY(items[0], pop());
  } else {
    CH_TRY(items, pop_to_mark());
  }
  CH_TRY(const PickleId into, top());
  if (out_[into].kind != PickleKind::Dict)
    return broken("it sets items of something that is no dict");
  if (items.size() % 2 != 0) return broken("a dict has a key without a value");
  return add(into, items);
}

}  // namespace chop::io
