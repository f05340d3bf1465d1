// Attribute values of nodes: the non-tensor arguments of an op.
#pragma once

#include <initializer_list>
#include <variant>

#include "config/field.hpp"

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

FieldKind kind_of(const Attr& attr);

/// The text form: true, 3, 0.5, "same", [1, 2], reals[0.5, 1.0]. Reads back as the same kind.
std::string to_text(const Attr& attr);
/// As Python prints the value: True, 3, 0.5, 'same', (1, 2).
std::string to_python(const Attr& attr);

/// Equal to the last bit: NaN equals itself and 0 differs from -0, unlike with ==.
bool same_bits(const Attr& a, const Attr& b);
/// The same for attributes by name.
bool same_bits(const Attrs& a, const Attrs& b);

/// `value` as a value of that kind where nothing is lost: a whole number may stand for a real, and
/// one number for a list of numbers. Otherwise an error that says what was expected.
Result<Attr> convert(FieldKind kind, const Attr& value);

/// A flag, a number, a text or a list of numbers, as configuration files have them; nothing of
/// anything else. A list of whole numbers alone (or of nothing) is `Ints`.
std::optional<Attr> attr_of(const Tree& tree);
/// The default of a field that has one.
Attr default_of(const Field& field);

}  // namespace chop::ir
