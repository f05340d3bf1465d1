// Attribute values of nodes: the non-tensor arguments of an op.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "support/result.hpp"

namespace chop::ir {

using Ints = std::vector<std::int64_t>;
using Attr = std::variant<bool, std::int64_t, double, std::string, Ints, std::vector<double>>;

/// Attributes by name. A map whose copies, lists and destruction are compiled once (attr.cpp):
/// every op definition makes dozens of them.
struct Attrs : std::map<std::string, Attr> {
  Attrs();
  Attrs(std::initializer_list<value_type> entries);
  Attrs(const Attrs& other);
  Attrs(Attrs&& other) noexcept;
  Attrs& operator=(const Attrs& other);
  Attrs& operator=(Attrs&& other) noexcept;
  ~Attrs();

  Attr& operator[](const std::string& name);
};

/// "bool", "int", "real", "text", "ints" or "reals".
std::string_view kind_of(const Attr& attr);

/// The text form: true, 3, 0.5, "same", [1, 2], reals[0.5, 1.0]. Reads back as the same kind.
std::string to_text(const Attr& attr);
/// As Python prints the value: True, 3, 0.5, 'same', (1, 2).
std::string to_python(const Attr& attr);

/// Equal to the last bit: NaN equals itself and 0 differs from -0, unlike with ==.
bool same_bits(const Attr& a, const Attr& b);
/// The same for attributes by name.
bool same_bits(const Attrs& a, const Attrs& b);

/// `value` as the kind of `pattern` where nothing is lost: an integer becomes a real,
/// and one integer a list of `Ints`. Otherwise an error that says what was expected.
Result<Attr> convert_like(const Attr& pattern, const Attr& value);

}  // namespace chop::ir
