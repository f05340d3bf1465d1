// One named value that people may set: a setting of the command line, an argument of a pass, a key
// of a number format, an attribute of an operator, an option of training.
//
// A Field says what the value may be. Everything that reads values asks it, so that a kind has one
// word and a bound one meaning everywhere:
//
//     const Field rows{.name = "num_samples", .initial = 512, .bounds = kAtLeastOne};
//     conform(rows, Tree(0))     // nothing: not allowed
//     describe_allowed(rows)     // "a whole number of at least 1"
#pragma once

#include "support/tree.hpp"

namespace chop::config {

enum class FieldKind : std::uint8_t {
  OfDefault,  ///< what the default is; a text where there is none
  Flag,
  Integer,
  Real,
  Text,
  Integers,
  Reals,
  Names,
  Table,
  Dims,          ///< "all", "NA" (none, kept as nothing), or axes as a list of whole numbers
  ExistingFile,  ///< must exist when it is used
  ExistingPath,  ///< a file or a folder, likewise
  Path           ///< need not exist
};

/// Every number must be finite and lie within; `above` and `below` exclude the bound itself.
struct Bounds {
  std::optional<double> least = {};
  std::optional<double> most = {};
  std::optional<double> above = {};
  std::optional<double> below = {};

  bool operator==(const Bounds&) const = default;
};
inline constexpr Bounds kAboveZero{.above = 0};
inline constexpr Bounds kAtLeastZero{.least = 0};
inline constexpr Bounds kAtLeastOne{.least = 1};

struct Field {
  std::string_view name;
  Tree initial = {};  ///< the default; nothing: the value may be absent
  std::string_view doc = {};
  bool required = false;  ///< must be given, even where there is a default to show its kind
  bool internal = false;  ///< set by the program, never by people
  bool ignored = false;   ///< accepted, but no result depends on it
  FieldKind kind = FieldKind::OfDefault;
  std::vector<std::string_view> choices = {};  ///< of a text, or of each name
  Bounds bounds = {};                          ///< of a number, or of each in a list
};

/// The kind, never OfDefault. An empty list as default stands for whole numbers.
FieldKind kind_of(const Field& field);
/// "a whole number", "whole numbers": the kind in a sentence.
std::string in_a_sentence(FieldKind kind);
/// "whole number", "text", "true or false", "numbers": the kind in a table of fields.
std::string_view name_of(FieldKind kind);
/// "a whole number from 1 to 32", "one of type, name": the end of a hint.
std::string describe_allowed(const Field& field);
/// "did you mean 'mse'? calibration is one of ...": what would do instead of `given`.
std::string hint_for(const Field& field, const Tree& given);
/// The default as TOML writes it; "" when there is none.
std::string default_text(const Field& field);

bool in_bounds(const Bounds& bounds, double value);
bool is_choice(const Field& field, std::string_view text);
/// `given` as the kind of the field where nothing is lost (a whole number for a real, a value for a
/// list of one), or nothing when it is not allowed.
std::optional<Tree> conform(const Field& field, const Tree& given);

/// The same field where it may be left out.
Field without_default(Field field);

/// The field called `name`, or null.
const Field* find_field(std::span<const Field> fields, std::string_view name);
std::vector<std::string> names_of(std::span<const Field> fields);

}  // namespace chop::config
