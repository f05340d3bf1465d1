#include "ir/fx_names.hpp"

#include <charconv>

#include "support/result.hpp"

namespace chop::ir {
namespace {

// Sorted. Keywords and builtins of Python 3, and the names fx itself puts into generated code.
constexpr auto kPythonNames = std::to_array<std::string_view>(
    {"False",       "None",       "NoneType",     "True",      "abs",       "aiter",
     "all",         "and",        "anext",        "any",       "as",        "ascii",
     "assert",      "async",      "await",        "bin",       "bool",      "break",
     "breakpoint",  "bytearray",  "bytes",        "callable",  "chr",       "class",
     "classmethod", "compile",    "complex",      "continue",  "copyright", "credits",
     "def",         "del",        "delattr",      "device",    "dict",      "dir",
     "divmod",      "elif",       "else",         "enumerate", "eval",      "except",
     "exec",        "exit",       "filter",       "finally",   "float",     "for",
     "format",      "from",       "frozenset",    "fx_pytree", "getattr",   "global",
     "globals",     "hasattr",    "hash",         "help",      "hex",       "id",
     "if",          "import",     "in",           "inf",       "input",     "int",
     "is",          "isinstance", "issubclass",   "iter",      "lambda",    "len",
     "license",     "list",       "locals",       "map",       "max",       "memoryview",
     "min",         "nan",        "next",         "nonlocal",  "not",       "object",
     "oct",         "open",       "or",           "ord",       "pass",      "pow",
     "print",       "property",   "pytree",       "quit",      "raise",     "range",
     "repr",        "return",     "reversed",     "round",     "set",       "setattr",
     "slice",       "sorted",     "staticmethod", "str",       "sum",       "super",
     "torch",       "try",        "tuple",        "type",      "vars",      "while",
     "with",        "yield",      "zip"});
static_assert(std::is_sorted(kPythonNames.begin(), kPythonNames.end()));

bool is_upper(char c) {
  return c >= 'A' && c <= 'Z';
}
bool is_lower(char c) {
  return c >= 'a' && c <= 'z';
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

}  // namespace

std::string fx_name(std::string_view target) {
  std::string name;
  bool after_lower = false;
  bool in_gap = false;  // a run of letters Python does not allow becomes one _
  for (const char c : target) {
    if (after_lower && is_upper(c)) name += '_';
    after_lower = is_lower(c);
    const bool allowed = is_upper(c) || is_lower(c) || is_digit(c) || c == '_';
    if (allowed) name += is_upper(c) ? static_cast<char>(c - 'A' + 'a') : c;
    if (!allowed && !in_gap) name += '_';
    in_gap = !allowed;
  }
  if (!name.empty() && is_digit(name.front())) name.insert(name.begin(), '_');
  return name;
}

bool is_python_name(std::string_view name) {
  return std::binary_search(kPythonNames.begin(), kPythonNames.end(), name);
}

std::string free_name(std::string wanted, const std::function<bool(const std::string&)>& is_taken) {
  if (!is_taken(wanted)) return wanted;
  // "conv_1" continues with conv_2; a number too long to count gets one of its own.
  std::uint64_t number = 0;
  std::string base = wanted;
  const std::size_t bar = wanted.find_last_of('_');
  if (bar != std::string::npos && bar + 1 < wanted.size() && wanted.size() - bar < 10 &&
      std::all_of(wanted.begin() + static_cast<std::ptrdiff_t>(bar) + 1, wanted.end(), is_digit)) {
    std::from_chars(wanted.data() + bar + 1, wanted.data() + wanted.size(), number);
    base.resize(bar);
  }
  const auto taken = [&](std::uint64_t n) { return is_taken(base + "_" + std::to_string(n)); };
  // The next number is nearly always free, or thousands are taken in a row: exponential search for
  // a free one, then binary search for the first free number behind a taken one.
  std::uint64_t last = number;  // taken, as was `wanted`
  for (int steps = 0; steps < 16; ++steps)
    if (!taken(++last)) return base + "_" + std::to_string(last);
  std::uint64_t leap = 16;
  while (taken(last + leap)) {
    last += leap;
    leap *= 2;
  }
  std::uint64_t free = last + leap;
  while (free - last > 1) {
    const std::uint64_t middle = last + (free - last) / 2;
    (taken(middle) ? last : free) = middle;
  }
  return base + "_" + std::to_string(free);
}

}  // namespace chop::ir
