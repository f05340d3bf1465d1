// Compares the attributes of two studies (study_identity.hpp). For example, a study that was made
// with "training": {"batch_size": 128, ...} and is continued with --batch-size 64:
//   batch_size: study 'jsc-tiny' was made with 128, and here it is 64
// 1 equals 1.0. The error names the first attribute that differs and the key of the configuration
// it comes from.
#include "search/study_identity.hpp"

#include "support/json.hpp"
#include "support/system/log.hpp"
#include "support/text.hpp"

namespace chop::search {
namespace {

using namespace study_attributes;

/// An attribute that must agree, and the key of the configuration it comes from.
struct IdentityAttribute {
  const char* name;
  const char* key;
  bool of_options = false;  ///< a table of options; a message names the one that differs
};
constexpr std::array<IdentityAttribute, 7> kIdentity = {
    {{"objectives", "search.strategy.metrics"},
     {"runners", "search.strategy.sw_runner and hw_runner"},
     {"network", "model"},
     {"weights", "load_name (or seed, where nothing is loaded)"},
     {"dataset", "dataset"},
     {"most_batches", "--debug"},
     {"training", "an option of training", true}}};

/// Of what is no table, none.
const Tree::Table& entries_of(const Tree& tree) {
  static const Tree::Table kNone;
  return tree.is_table() ? *tree.as_table() : kNone;
}

/// Equal, where 1 is 1.0.
bool same_values(const Tree& a, const Tree& b) {
  if (a.is_list() && b.is_list())
    return std::equal(a.as_list()->begin(), a.as_list()->end(), b.as_list()->begin(),
                      b.as_list()->end(), same_values);
  if (a.is_table() && b.is_table())
    return std::equal(a.as_table()->begin(), a.as_table()->end(), b.as_table()->begin(),
                      b.as_table()->end(), [](const auto& x, const auto& y) {
                        return x.first == y.first && same_values(x.second, y.second);
                      });
  const bool whole = a.as_integer() != nullptr && b.as_integer() != nullptr;
  return a.is_number() && b.is_number() && !whole ? a.number() == b.number() : a == b;
}

/// Whether two attributes say the same; one that is not JSON says nothing.
bool agree(const std::string& a, const std::string& b) {
  const Result<Tree> x = parse_json(a, "an attribute");
  const Result<Tree> y = parse_json(b, "an attribute");
  return !x || !y || same_values(x.value(), y.value());
}

/// Where two values of an attribute differ: at the first such option, else as a whole. A value that
/// is not there is empty.
struct Difference {
  std::string key, one, other;
};
std::string describe(const Difference& d) {
  return cat("was made ", d.one.empty() ? "without it" : cat("with ", d.one), ", and here it is ",
             d.other.empty() ? "not given" : d.other);
}

Difference difference_of(const IdentityAttribute& attribute, const std::string& a,
                         const std::string& b) {
  const Result<Tree> x = parse_json(a, "an attribute");
  const Result<Tree> y = parse_json(b, "an attribute");
  if (attribute.of_options && x && y && x.value().is_table() && y.value().is_table())
    for (const Tree* table : {&x.value(), &y.value()})
      for (const auto& [key, ignored] : *table->as_table()) {
        const Tree* const one = x.value().find(key);
        const Tree* const other = y.value().find(key);
        if (one == nullptr || other == nullptr || !same_values(*one, *other))
          return {key, one == nullptr ? "" : to_json(*one),
                  other == nullptr ? "" : to_json(*other)};
      }
  const auto shown = [](const std::string& json) { return json == "null" ? "" : json; };
  return {attribute.key, shown(a), shown(b)};
}

Error another(const StudyInfo& study, std::string key, std::string what) {
  return {.what = cat(key, ": study '", study.name, "' ", what),
          .hint = "--study NAME begins another one; `ch study show` tells what this one is"};
}

std::string list_names(const std::vector<Direction>& directions) {
  std::vector<std::string> names;
  for (const Direction direction : directions) names.emplace_back(name_of(direction));
  return join(names, ", ");
}

/// The first parameter that is not the same in both spaces.
Status check_space(const StudyInfo& found, const Tree& theirs, const Space& space) {
  for (const SpaceParameter& parameter : space.parameters()) {
    const Tree* other = theirs.find(parameter.name);
    if (other == nullptr)
      return another(found, "search.search_space", cat("has no parameter ", parameter.name));
    const Result<Distribution> distribution = distribution_from_json(to_json(*other));
    if (!distribution || distribution.value() != parameter.distribution)
      return another(found, "search.search_space",
                     cat("has ", parameter.name, " from ",
                         distribution ? to_string(distribution.value()) : to_json(*other),
                         ", here it is from ", to_string(parameter.distribution)));
  }
  for (const auto& [name, distribution] : entries_of(theirs))
    if (!space.find(name))
      return another(found, "search.search_space",
                     cat("has a parameter ", name, " that is not searched here"));
  return {};
}

/// Workers of one study may run on different machines, so this is said and not refused.
void compare_simd(const StudyInfo& found, const StudyInfo& wanted) {
  const auto level = [](const StudyInfo& study) {
    const auto known = study.user.find(kSimd);
    const Tree value = known == study.user.end() ? Tree() : attribute_value(known->second);
    return value.is_text() ? *value.as_text() : std::string();
  };
  const std::string then = level(found), now = level(wanted);
  if (then.empty() || now.empty() || then == now) return;
  log_warning(cat("Study '", found.name, "' was begun with ", then, ", here it goes on with ", now,
                  ": metrics differ by roundings; --simd ", then, " keeps to the first"));
}

/// The first key with one choice whose choice is another one.
Status check_fixed(const StudyInfo& found, const StudyInfo& wanted) {
  const auto known = found.user.find(kFixed);
  if (known == found.user.end()) return {};
  const Tree theirs = attribute_value(known->second);
  const Tree ours = attribute_value(wanted.user.at(kFixed));
  for (const Tree* side : {&ours, &theirs})
    for (const auto& [name, value] : entries_of(*side)) {
      const std::string a = theirs.contains(name) ? to_json(theirs[name]) : "not there";
      const std::string b = ours.contains(name) ? to_json(ours[name]) : "not there";
      if (a != b)
        return another(found, "search.search_space",
                       cat("has ", name, " always ", a, ", here it is ", b));
    }
  return {};
}

/// Of a study that was begun elsewhere: every parameter of its trials must be one of ours.
Status check_trials(const Study& found, const Space& space) {
  for (const Trial& trial : found.trials)
    for (const TrialParameter& parameter : trial.parameters) {
      const auto at = space.find(parameter.name);
      if (!at)
        return another(found.info, "search.search_space",
                       cat("has a parameter ", parameter.name, " that is not searched here"));
      if (space.parameters()[*at].distribution != parameter.distribution)
        return another(found.info, "search.search_space",
                       cat("has ", parameter.name, " from ", to_string(parameter.distribution),
                           ", here it is from ", to_string(space.parameters()[*at].distribution)));
    }
  return {};
}

}  // namespace

Status check_same_study(const StudyInfo& wanted, const Study& found, const Space& space) {
  if (found.info.directions != wanted.directions)
    return another(found.info, "search.strategy.metrics",
                   cat("has the objectives ", list_names(found.info.directions), ", here they are ",
                       list_names(wanted.directions)));
  const auto known = found.info.user.find(kSpace);
  if (known == found.info.user.end()) return check_trials(found, space);
  CH_CHECK(check_space(found.info, attribute_value(known->second), space));
  CH_CHECK(check_fixed(found.info, wanted));
  for (const IdentityAttribute& attribute : kIdentity) {
    const auto ours = wanted.user.find(attribute.name);
    const auto other = found.info.user.find(attribute.name);
    const std::string a = other == found.info.user.end() ? "null" : other->second;
    const std::string b = ours == wanted.user.end() ? "null" : ours->second;
    if (agree(a, b)) continue;
    const Difference differs = difference_of(attribute, a, b);
    return another(found.info, differs.key, describe(differs));
  }
  const auto data = found.info.user.find(kData);
  if (data != found.info.user.end() && data->second != wanted.user.at(kData))
    return another(found.info, "dataset",
                   "was made with other rows: another file, seed, split or scaling of the inputs");
  return {};
}

Status open_study(StudyStore& store, const StudyInfo& wanted, const Space& space) {
  CH_TRY(std::optional<StudyInfo> known, store.find(wanted.name));
  if (!known) {
    if (Status created = store.create(wanted); created) return {};
    CH_TRY(known, store.find(wanted.name));  // another process may have been faster
    if (!known) return store.create(wanted);
  }
  CH_TRY(const Study found, store.read(wanted.name));
  CH_CHECK(check_same_study(wanted, found, space));
  compare_simd(found.info, wanted);
  if (found.info.user.contains(kSpace)) return {};
  // Begun in Optuna: from now on it is a study of this search.
  for (const auto& [key, json] : wanted.user)
    CH_CHECK(store.set_user_attribute(wanted.name, key, json));
  return {};
}

Status check_same_attributes(const StudyInfo& a, const StudyInfo& b) {
  std::vector<const char*> attributes = {kSpace, kFixed, kData};
  for (const IdentityAttribute& attribute : kIdentity) attributes.push_back(attribute.name);
  for (const char* attribute : attributes) {
    const auto one = a.user.find(attribute);
    const auto other = b.user.find(attribute);
    if (one == a.user.end() || other == b.user.end()) continue;
    if (!agree(one->second, other->second))
      return Error{.what = cat("studies '", a.name, "' and '", b.name, "' differ in ", attribute),
                   .notes = {cat("'", a.name, "': ", one->second.substr(0, 200)),
                             cat("'", b.name, "': ", other->second.substr(0, 200))},
                   .hint = "their trials cannot be compared with each other"};
  }
  return {};
}

}  // namespace chop::search
