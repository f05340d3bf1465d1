#include "cli/study_merge.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "cli/study_json.hpp"
#include "search/results.hpp"
#include "support/text.hpp"

namespace chop {
namespace {

constexpr const char* kOrigin = "chop:merged_from";

/// Study, number and start name a trial wherever its study is kept. What was merged before keeps
/// the name it had.
std::string origin_of(const Trial& trial, const std::string& study) {
  const auto found = trial.system.find(kOrigin);
  if (found != trial.system.end()) return found->second;
  nlohmann::ordered_json json;
  json["study"] = study;
  json["number"] = trial.number;
  json["datetime_start"] = to_text(trial.started);
  return to_line(json);
}

std::string words_of(const std::vector<Direction>& directions) {
  std::vector<std::string> words;
  for (const Direction direction : directions) words.emplace_back(word_for(direction));
  return join(words, ", ");
}

Status check_directions(const StudyInfo& a, const StudyInfo& b) {
  if (a.directions == b.directions) return {};
  return Error{.what = cat("studies '", a.name, "' and '", b.name, "' are after different things"),
               .notes = {cat("'", a.name, "': ", words_of(a.directions)),
                         cat("'", b.name, "': ", words_of(b.directions))}};
}

}  // namespace

Result<MergeResult> merge_studies(const std::vector<Study>& sources, StudyStore& into,
                                  const std::string& name) {
  for (const Study& source : sources) CH_CHECK(check_directions(sources[0].info, source.info));
  MergeResult result;
  CH_TRY(const std::optional<StudyInfo> found, into.find(name));
  std::set<std::string> known;
  if (found) {
    CH_CHECK(check_directions(*found, sources[0].info));
    CH_TRY(const Study there, into.read(name));
    for (const Trial& trial : there.trials) known.insert(origin_of(trial, name));
  }
  std::vector<Trial> trials;
  for (const Study& source : sources)
    for (Trial trial : source.trials) {
      const std::string origin = origin_of(trial, source.info.name);
      if (!is_finished(trial.state)) {
        ++result.unfinished;
      } else if (!known.insert(origin).second) {
        ++result.known;
      } else {
        trial.system[kOrigin] = origin;
        trials.push_back(std::move(trial));
      }
    }
  std::stable_sort(trials.begin(), trials.end(),
                   [](const Trial& a, const Trial& b) { return a.started < b.started; });
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

}  // namespace chop
