// Reads Python pickles (protocols 0 to 5, as specified in CPython's pickletools.py) as data.
//
// A pickle is a program for a stack machine. What {"lr": 0.5} is in protocol 2, and what it does
// here:
//
//   \x80\x02       PROTO 2
//   }              EMPTY_DICT           push a Dict
//   X..lr          BINUNICODE           push the Text "lr"
//   G?\xe0...      BINFLOAT             push the Real 0.5
//   s              SETITEM              pop both, add them to the Dict
//   .              STOP                 the result is the top of the stack
//
// Nothing is ever called: a pickle may build plain values and may mention the names its reader
// allows. A call of such a name becomes a Call value, the name with its arguments, which
// torch_values.cpp interprets.
//
// Values are kept in one table and refer to each other by index, so that sharing, cycles and depth
// cost no more than the bytes that describe them.
#pragma once

#include <deque>
#include <functional>

#include "support/result.hpp"

namespace chop::io {

using PickleId = std::uint32_t;

enum class PickleKind : std::uint8_t {
  None,
  Bool,        ///< integer 0 or 1
  Int,         ///< integer
  LongInt,     ///< beyond 64 bits; text holds its bytes, or its digits in protocol 0
  Real,        ///< real
  Text,        ///< text
  Bytes,       ///< text
  List,        ///< items
  Tuple,       ///< items
  Set,         ///< items
  Dict,        ///< items: key, value, key, value ...
  Name,        ///< text: "module.name", one of those allowed
  Call,        ///< items: the name, its arguments; never called
  Persistent,  ///< items: what a persistent id says, such as where a tensor's bytes are
};

struct PickleValue {
  PickleKind kind = PickleKind::None;
  std::uint16_t depth = 1;  ///< of nesting
  std::int64_t integer = 0;
  double real = 0;
  std::string_view text = {};
  std::vector<PickleId> items = {};
};

/// One object as read. `text` of its values points into the bytes given to read_pickle() or
/// into `texts`.
struct Pickle {
  std::deque<PickleValue> values;
  std::deque<std::string> texts;
  PickleId root = 0;
  std::size_t size = 0;  ///< bytes read, up to and including STOP

  const PickleValue& operator[](PickleId id) const { return values[id]; }
  const PickleValue& top() const { return values[root]; }
  /// The value under a text key of a dict, or null.
  const PickleValue* find(const PickleValue& dict, std::string_view key) const;
};

struct PickleLimits {
  std::size_t values = 1'000'000;  ///< objects, entries of the memo, and references each
  std::size_t depth = 200;         ///< of nesting
};

/// Whether a pickle may mention `module`.`name`.
using PickleNames = std::function<bool(std::string_view module, std::string_view name)>;

/// The pickle at the start of `bytes` (protocols 0 to 5), which must outlive the result.
/// Anything but plain data and allowed names is an error that says what was asked for and
/// where; `name` is the file's name in messages.
Result<Pickle> read_pickle(std::span<const std::byte> bytes, std::string_view name,
                           const PickleNames& allowed, const PickleLimits& limits = {});

}  // namespace chop::io
