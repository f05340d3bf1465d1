// Attribute values of nodes: the non-tensor arguments of an op.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "support/result.hpp"

namespace chop {

using Ints = std::vector<std::int64_t>;
using Attr = std::variant<bool, std::int64_t, double, std::string, Ints, std::vector<double>>;
using Attrs = std::map<std::string, Attr>;

/// "bool", "int", "real", "text", "ints" or "reals".
std::string_view kind_of(const Attr& attr);

/// The text form: true, 3, 0.5, "same", [1, 2], reals[0.5, 1.0]. Reads back as the same kind.
std::string to_text(const Attr& attr);
/// As Python prints the value: True, 3, 0.5, 'same', (1, 2).
std::string to_python(const Attr& attr);

/// Equal to the last bit: NaN equals itself and 0 differs from -0, unlike with ==.
bool same_bits(const Attr& a, const Attr& b);
/// The same for attributes by name, and for maps of such maps.
template <class T>
bool same_bits(const std::map<std::string, T>& a, const std::map<std::string, T>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) {
    return x.first == y.first && same_bits(x.second, y.second);
  });
}

/// `value` as the kind of `pattern` where nothing is lost: an integer may stand for a real,
/// and one integer for a list of `Ints`. Otherwise an error that says what was expected.
Result<Attr> convert_like(const Attr& pattern, const Attr& value);

}  // namespace chop
