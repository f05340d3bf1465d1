// A table of values, checked against the fields it may have.
//
// A table of a configuration file (or key=value words) is checked once; after that a pass asks for
// values that are known to be of the right kind.
#pragma once

#include "config/field.hpp"

namespace chop::config {

/// Where arguments come from, for messages.
struct ArgSource {
  std::string path;       ///< "passes.profile_statistics"
  std::string file = {};  ///< empty: the command line
};

/// The error with file and line, where there is a file.
Error at_line(Error error, const ArgSource& source, int line);

class Args {
 public:
  Args() = default;
  /// Unknown names, wrong kinds, values that are not allowed and missing ones are errors that
  /// say which and what would do. With `open`, tables no definition names are kept as others().
  static Result<Args> check(std::span<const Field> fields, const Tree& given, ArgSource source,
                            bool open = false);

  bool has(std::string_view name) const { return !get(name).is_null(); }
  bool flag(std::string_view name) const { return *get(name).as_flag(); }
  std::int64_t integer(std::string_view name) const { return *get(name).as_integer(); }
  double real(std::string_view name) const { return *get(name).as_real(); }
  const std::string& text(std::string_view name) const { return *get(name).as_text(); }
  std::string text_or_empty(std::string_view name) const { return has(name) ? text(name) : ""; }
  /// A list of names; a single text stands for a list of one.
  std::vector<std::string> names(std::string_view name) const;
  /// The value as given, or the default.
  const Tree& get(std::string_view name) const;
  const Tree::Table& others() const { return *others_.as_table(); }

  const ArgSource& source() const { return source_; }
  /// Source of the table under `name`, for a check() of its own.
  ArgSource inside(std::string_view name) const;
  /// An error about one argument: "passes.x.which = "foo": `what`".
  Error wrong(std::string_view name, std::string_view what, std::string hint = {}) const;

 private:
  Tree values_ = Tree::table();
  Tree others_ = Tree::table();
  ArgSource source_;
};

}  // namespace chop::config
