// Pickles cut into their operations: arguments change within their kind, operations go, come twice
// or are swapped.
#include <cstring>

#include "mutate/mutators.hpp"
#include "support/text.hpp"

namespace chop::mutate {
namespace {

/// How long the argument of an operation is: a number of bytes, a counted text whose count has so
/// many bytes, or so many lines.
struct Argument {
  int bytes = 0;
  int count_bytes = 0;
  int lines = 0;
};

Argument argument_of(char op) {
  switch (op) {
    case 'K':
    case 'h':
    case 'q':
    case '\x80':
      return {.bytes = 1};
    case 'M':
      return {.bytes = 2};
    case 'J':
    case 'j':
    case 'r':
      return {.bytes = 4};
    case 'G':
    case '\x95':
      return {.bytes = 8};
    case 'U':
    case 'C':
    case '\x8A':
    case '\x8C':
      return {.count_bytes = 1};
    case 'X':
    case 'B':
    case 'T':
    case '\x8B':
      return {.count_bytes = 4};
    case '\x8D':
    case '\x8E':
      return {.count_bytes = 8};
    case 'I':
    case 'L':
    case 'F':
    case 'S':
    case 'V':
    case 'P':
    case 'g':
    case 'p':
      return {.lines = 1};
    case 'c':
    case 'i':
      return {.lines = 2};
    default:
      return {};
  }
}

std::size_t length_at(const std::string& file, std::size_t at) {
  const Argument argument = argument_of(file[at]);
  std::size_t end = at + 1 + static_cast<std::size_t>(argument.bytes);
  for (int line = 0; line < argument.lines; ++line)
    end = std::min(file.find('\n', end), file.size()) + 1;
  if (argument.count_bytes > 0) {
    std::size_t count = 0;
    std::memcpy(&count, file.data() + end,
                std::min<std::size_t>(static_cast<std::size_t>(argument.count_bytes),
                                      file.size() - std::min(end, file.size())));
    end += static_cast<std::size_t>(argument.count_bytes) + std::min(count, file.size());
  }
  return std::min(end, file.size()) - at;
}

std::string changed(const std::string& op, const Words& words, Random& random) {
  const Argument argument = argument_of(op[0]);
  std::string made = op.substr(0, 1);
  if (argument.bytes > 0) {
    std::int64_t value = 0;
    std::memcpy(&value, op.data() + 1, op.size() - 1);
    value = changed_number(value, random);
    return made.append(reinterpret_cast<const char*>(&value), op.size() - 1);
  }
  if (argument.lines > 0) return made + mutate_text(op.substr(1), random);
  if (argument.count_bytes == 0) return std::string(1, "()}]NtRubesaQo.0"[random.below(16)]);
  const auto width = static_cast<std::size_t>(argument.count_bytes);
  std::string text = changed_word(op.substr(std::min(op.size(), 1 + width)), words, random);
  if (width == 1) text.resize(std::min<std::size_t>(text.size(), 255));
  const std::size_t size = random.one_in(16) ? random.below(1U << 20) : text.size();
  return made.append(reinterpret_cast<const char*>(&size), width) + text;
}

}  // namespace

std::string mutate_pickle(const std::string& file, Random& random) {
  if (file.empty() || random.one_in(12)) return mutate_bytes(file, random);
  Words ops;
  Words texts = {"torch", "_rebuild_tensor_v2", "FloatStorage", "collections", "OrderedDict", "0"};
  for (std::size_t at = 0; at < file.size();) {
    ops.push_back(file.substr(at, length_at(file, at)));
    at += ops.back().size();
    const auto width = static_cast<std::size_t>(argument_of(ops.back()[0]).count_bytes);
    if (width > 0 && ops.back().size() > 1 + width) texts.push_back(ops.back().substr(1 + width));
  }
  for (std::size_t changes = random.one_in(3) ? 2 : 1; changes > 0; --changes) {
    const std::size_t at = random.below(ops.size());
    if (random.one_in(6))
      ops.insert(ops.begin() + static_cast<std::ptrdiff_t>(at), random.of(ops));
    else if (random.one_in(6) && ops.size() > 1)
      ops.erase(ops.begin() + static_cast<std::ptrdiff_t>(at));
    else if (random.one_in(6))
      std::swap(ops[at], ops[random.below(ops.size())]);
    else
      ops[at] = changed(ops[at], texts, random);
  }
  return join(ops, "");
}

}  // namespace chop::mutate
