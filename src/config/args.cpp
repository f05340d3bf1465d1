#include "config/args.hpp"

#include "support/text.hpp"

namespace chop::config {

Error at_line(Error error, const ArgSource& source, int line) {
  if (!source.file.empty())
    error.notes.push_back(line > 0 ? cat(source.file, ":", line) : source.file);
  return error;
}

namespace {

/// The default as the kind the field has: 0 may be written for 0.0.
Tree initial_of(const Field& field) {
  if (field.required || field.initial.is_null()) return {};
  const std::optional<Tree> conformed = conform(field, field.initial);
  assert(conformed && "a default breaks the rule of its own field");
  return *conformed;
}

}  // namespace

Result<Args> Args::check(std::span<const Field> fields, const Tree& given, ArgSource source,
                         bool open) {
  Args args;
  args.source_ = std::move(source);
  for (const Field& field : fields) args.values_.set(field.name, initial_of(field));
  if (given.as_table() == nullptr && !given.is_null())
    return at_line({.what = cat(args.source_.path, " must be a table, not ", kind_of(given)),
                    .hint = cat("write [", args.source_.path, "] on a line of its own")},
                   args.source_, given.line);
  Tree::Table others;
  for (const auto& [name, value] : given.is_null() ? Tree::Table{} : *given.as_table()) {
    const Field* field = find_field(fields, name);
    if (field == nullptr && open && value.as_table() != nullptr) {
      others.emplace_back(name, value);
      continue;
    }
    if (field == nullptr) {
      const std::vector<std::string> known = names_of(fields);
      return at_line({.what = cat("unknown argument '", args.source_.path, ".", name, "'"),
                      .hint = known.empty() ? cat(args.source_.path, " takes no arguments")
                                            : cat(did_you_mean(name, known), "the arguments are ",
                                                  join(known, ", "))},
                     args.source_, value.line);
    }
    // "NA": as if it were not there, but for dims, where it says something.
    if (value.is_null() && field->kind != FieldKind::Dims) continue;
    const std::optional<Tree> conformed = conform(*field, value);
    if (!conformed)
      return at_line(
          {.what = cat(args.source_.path, ".", name, " = ", to_text(value), " is not allowed"),
           .hint = hint_for(*field, value)},
          args.source_, value.line);
    Tree kept = *conformed;
    kept.line = value.line;
    args.values_.set(name, std::move(kept));
  }
  args.others_ = std::move(others);
  for (const Field& field : fields)
    if (field.required && !args.has(field.name))
      return at_line({.what = cat(args.source_.path, " needs the argument '", field.name, "'"),
                      .hint = cat(field.name, " is ", describe_allowed(field), ": ", field.doc)},
                     args.source_, given.line);
  return args;
}

std::vector<std::string> Args::names(std::string_view name) const {
  std::vector<std::string> found;
  if (const Tree::List* items = get(name).as_list())
    for (const Tree& item : *items) found.push_back(*item.as_text());
  return found;
}

const Tree& Args::get(std::string_view name) const {
  const Tree* value = values_.find(name);
  assert(value != nullptr && "a pass asked for an argument it does not declare");
  return *value;
}

ArgSource Args::inside(std::string_view name) const {
  return {.path = cat(source_.path, ".", name), .file = source_.file};
}

Error Args::wrong(std::string_view name, std::string_view what, std::string hint) const {
  return at_line({.what = cat(source_.path, ".", name, ": ", what), .hint = std::move(hint)},
                 source_, get(name).line);
}

}  // namespace chop::config
