// Trials are numbered by their study, so merging gives them new numbers. A trial keeps where it
// came from, {"study": "a", "number": 3, "datetime_start": ...}, and this is what tells whether it
// was merged before. References by number (a retry names the trial it stands in for) are turned
// into such origins first, and back into numbers once the new ones are known.
#include "search/study_merge.hpp"

#include "search/study_identity.hpp"
#include "support/json.hpp"
#include "support/text.hpp"

namespace chop::search {
namespace {

constexpr const char* kOrigin = "chop:merged_from";
constexpr const char* kReplaced = "failed_trial";

/// The origin of a trial: study, number and start time identify it wherever its study is stored. A
/// trial that was merged before keeps its origin.
std::string origin_of(const Trial& trial, const std::string& study) {
  const auto found = trial.system.find(kOrigin);
  if (found != trial.system.end()) return found->second;
  return to_json(Tree::Table{
      {"study", study}, {"number", trial.number}, {"datetime_start", to_text(trial.started)}});
}

std::string words_of(const std::vector<Direction>& directions) {
  std::vector<std::string> words;
  for (const Direction direction : directions) words.emplace_back(word_for(direction));
  return join(words, ", ");
}

Status check_mergeable(const StudyInfo& a, const StudyInfo& b) {
  if (a.directions == b.directions) return check_same_attributes(a, b);
  return Error{.what = cat("studies '", a.name, "' and '", b.name, "' are after different things"),
               .notes = {cat("'", a.name, "': ", words_of(a.directions)),
                         cat("'", b.name, "': ", words_of(b.directions))}};
}

/// A trial that replaces a failed one refers to it by number, and numbers change: while trials are
/// collected it refers to it by origin.
void name_replaced(Trial& trial, const Study& source) {
  trial.system.erase("retry_history");
  const auto found = trial.system.find(kReplaced);
  if (found == trial.system.end()) return;
  const std::optional<std::int64_t> number = parse_int(found->second);
  if (number && *number >= 0 && *number < static_cast<std::int64_t>(source.trials.size()))
    found->second = origin_of(source.trials[static_cast<std::size_t>(*number)], source.info.name);
  else
    trial.system.erase(found);
}

void number_replaced(Trial& trial, const std::map<std::string, std::int64_t>& numbers) {
  const auto found = trial.system.find(kReplaced);
  if (found == trial.system.end()) return;
  const auto number = numbers.find(found->second);
  if (number == numbers.end() || number->second < 0)
    trial.system.erase(found);
  else
    found->second = std::to_string(number->second);
}

}  // namespace

Result<MergeResult> merge_studies(const std::vector<Study>& sources, StudyStore& into,
                                  const std::string& name) {
  for (const Study& source : sources) CH_CHECK(check_mergeable(sources[0].info, source.info));
  MergeResult result;
  CH_TRY(const std::optional<StudyInfo> found, into.find(name));
  std::map<std::string, std::int64_t> known;  // numbers there by origin; -1: to be given
  if (found) {
    CH_CHECK(check_mergeable(*found, sources[0].info));
    CH_TRY(const Study there, into.read(name));
    for (const Trial& trial : there.trials) known[origin_of(trial, name)] = trial.number;
    result.before = static_cast<std::int64_t>(there.trials.size());
  }
  std::vector<Trial> trials;
  for (const Study& source : sources)
    for (Trial trial : source.trials) {
      const std::string origin = origin_of(trial, source.info.name);
      if (!is_finished(trial.state)) {
        ++result.unfinished;
      } else if (!known.emplace(origin, -1).second) {
        ++result.known;
      } else {
        trial.system[kOrigin] = origin;
        name_replaced(trial, source);
        trials.push_back(std::move(trial));
      }
    }
  std::stable_sort(trials.begin(), trials.end(),
                   [](const Trial& a, const Trial& b) { return a.started < b.started; });
  for (std::size_t i = 0; i < trials.size(); ++i)
    known[trials[i].system.at(kOrigin)] = result.before + static_cast<std::int64_t>(i);
  for (Trial& trial : trials) number_replaced(trial, known);
  if (!found) {
    StudyInfo info = sources[0].info;
    info.name = name;
    CH_CHECK(into.create(info));
    result.created = true;
  }
  CH_CHECK(into.append(name, trials));
  result.merged = static_cast<std::int64_t>(trials.size());
  return result;
}

}  // namespace chop::search
