#include "search/space/train_space.hpp"

#include "search/space/format_keys.hpp"
#include "support/text.hpp"

namespace chop::search {
namespace {

/// One training option that can be searched.
struct TrainKey {
  Field field;  ///< checks every choice
  const TrainField* option = nullptr;
};

const std::vector<TrainKey>& keys() {
  static const std::vector<TrainKey> table = [] {
    std::vector<TrainKey> all;
    for (const TrainField& option : train_fields())
      if (option.decides != Decides::Nothing)
        all.push_back({trial_field(option.field.name), &option});
    for (const std::string_view alias : {"optimizer", "optimiser"})
      all.push_back({trial_field("training_optimizer", alias), &train_field("training_optimizer")});
    return all;
  }();
  return table;
}

const TrainKey& key_named(std::string_view name) {
  return *std::find_if(keys().begin(), keys().end(),
                       [name](const TrainKey& key) { return key.field.name == name; });
}

/// One value, checked as an argument of that name would be.
Result<Tree> check_value(const TrainKey& key, const Tree& value, const ArgSource& source) {
  if (std::optional<Tree> conformed = conform(key.field, value)) return *std::move(conformed);
  return at_line(
      {.what = cat(source.path, ".", key.field.name, " = ", to_text(value), " is not allowed"),
       .hint = hint_for(key.field, value)},
      source, value.line);
}

/// { low = 1, high = 8, step = 1, log = true }: a range of the key's numbers.
Result<Distribution> range_of(const TrainKey& key, const Tree& table, const ArgSource& source) {
  const bool whole = kind_of(key.field) == FieldKind::Integer;
  const ArgSource inside{cat(source.path, ".", key.field.name), source.file};
  const FieldKind kind = whole ? FieldKind::Integer : FieldKind::Real;
  if (kind == FieldKind::Real && kind_of(key.field) != FieldKind::Real)
    return at_line({.what = cat(inside.path, " is no number: it has no range"),
                    .hint = "give a list of choices"},
                   source, table.line);
  const std::vector<Field> defs = {
      {.name = "low", .required = true, .kind = kind, .bounds = key.field.bounds},
      {.name = "high", .required = true, .kind = kind, .bounds = key.field.bounds},
      {.name = "step", .kind = kind, .bounds = {.above = 0}},
      {.name = "log", .initial = false}};
  CH_TRY(const Args args, Args::check(defs, table, inside));
  const double low = args.get("low").number();
  const double high = args.get("high").number();
  if (low > high) return args.wrong("high", "is below low");
  if (whole && std::max(std::abs(low), std::abs(high)) > Distribution::kLargestInteger)
    return args.wrong(std::abs(low) > std::abs(high) ? "low" : "high",
                      "is larger than a range of whole numbers may be", "the largest is 2^53");
  if (args.flag("log") && args.has("step"))
    return args.wrong("step", "a logarithmic range has no step", "leave step or log out");
  if (args.flag("log") && low <= 0) return args.wrong("low", "a logarithmic range begins above 0");
  const double step = args.has("step") ? args.get("step").number() : 0;
  Distribution made = Distribution::real(low, high, step, args.flag("log"));
  if (whole) {
    made.kind = Distribution::Kind::Integer;
    if (step == 0) made.step = 1;
  }
  return made;
}

}  // namespace

Field trial_field(std::string_view option, std::string_view name) {
  const TrainField& line = train_field(option);
  Field field = without_default(line.field);
  field.bounds = line.in_trial.value_or(field.bounds);
  if (!name.empty()) field.name = name;
  return field;
}

std::vector<std::string> TrainSpace::known() {
  std::vector<std::string> names;
  for (const TrainKey& key : keys()) names.emplace_back(key.field.name);
  return names;
}

Result<TrainSpace> TrainSpace::make(const Tree& table, const ArgSource& source) {
  if (table.as_table() == nullptr)
    return at_line({.what = cat(source.path, " is ", kind_of(table), ", not a table")}, source,
                   table.line);
  TrainSpace space;
  for (const auto& [key, value] : *table.as_table()) CH_CHECK(space.add(key, value, source));
  return space;
}

Status TrainSpace::add(const std::string& name, const Tree& value, const ArgSource& source) {
  const std::vector<std::string> names = known();
  if (std::find(names.begin(), names.end(), name) == names.end())
    return at_line({.what = cat("unknown hyper-parameter '", source.path, ".", name, "'"),
                    .hint = cat(did_you_mean(name, names), "there are ", join(names, ", "))},
                   source, value.line);
  const TrainKey& key = key_named(name);
  if (value.as_table() != nullptr) {
    CH_TRY(Distribution range, range_of(key, value, source));
    entries_.push_back({name, parameters_.size()});
    parameters_.push_back({cat("train/", name), std::move(range)});
    return {};
  }
  std::vector<Tree> choices = {value};
  if (const Tree::List* list = value.as_list()) choices = *list;
  if (choices.empty())
    return at_line({.what = cat(source.path, ".", name, " = []: there is nothing to choose from"),
                    .hint = "give at least one choice, or leave the key out"},
                   source, value.line);
  for (Tree& choice : choices) {
    CH_TRY(choice, check_value(key, choice, source));
  }
  if (choices.size() == 1) {
    entries_.push_back({.key = name, .only = choices.front()});
    return {};
  }
  entries_.push_back({name, parameters_.size()});
  parameters_.push_back({cat("train/", name), Distribution::categorical(std::move(choices))});
  return {};
}

std::vector<std::pair<std::string, Tree>> TrainSpace::fixed() const {
  std::vector<std::pair<std::string, Tree>> found;
  for (const Entry& entry : entries_)
    if (!entry.parameter) found.emplace_back(cat("train/", entry.key), entry.only);
  return found;
}

void TrainSpace::apply(std::span<const double> values, Candidate& candidate) const {
  Tree chosen = Tree::table();
  for (const Entry& entry : entries_) {
    const Tree value = entry.parameter ? to_external(parameters_[*entry.parameter].distribution,
                                                     values[*entry.parameter])
                                       : entry.only;
    key_named(entry.key).option->set(candidate.training, value);
    chosen.set(entry.key, value);
  }
  if (!entries_.empty()) candidate.config.set("train", std::move(chosen));
}

}  // namespace chop::search
