// Trials and studies as Optuna knows them, whatever space they are of.
#pragma once

#include "search/space/distribution.hpp"

namespace chop::search {

enum class Direction : std::uint8_t { Minimise, Maximise };
/// "MINIMIZE", "MAXIMIZE": as Optuna stores it.
std::string_view name_of(Direction direction);
/// In any case of letters, with s or z.
std::optional<Direction> direction_from_name(std::string_view name);
/// "minimise", "maximise": for people.
std::string_view word_for(Direction direction);
/// True when `a` is better than `b`; NaN is worse than any number.
bool better(Direction direction, double a, double b);

enum class TrialState : std::uint8_t { Running, Complete, Pruned, Fail, Waiting };
/// "RUNNING", "COMPLETE" ...: as Optuna stores it.
std::string_view name_of(TrialState state);
std::optional<TrialState> state_from_name(std::string_view name);
/// Complete, pruned or failed: nothing of it changes any more.
bool is_finished(TrialState state);

struct TrialParameter {
  std::string name;
  Distribution distribution;
  double value = 0;  ///< as inside: an index, or the number

  bool operator==(const TrialParameter&) const = default;
};

/// Attributes by name; values are JSON texts.
using AttributeMap = std::map<std::string, std::string>;
/// The value of an attribute. Python writes NaN and Infinity into JSON; such a text stays a text.
Tree attribute_value(const std::string& json);
/// Microseconds since 1970 of the local clock, as Optuna's naive datetimes; 0: not known.
using LocalTime = std::int64_t;
LocalTime local_now();
/// "2026-01-31 12:00:00.000000", and back (fractions of any length or none).
std::string to_text(LocalTime time);
std::optional<LocalTime> local_time_from(std::string_view text);

struct Trial {
  std::int64_t number = -1;  ///< from 0, without gaps in a study
  TrialState state = TrialState::Running;
  std::vector<TrialParameter> parameters = {};  ///< in the order they were chosen
  std::vector<double> values = {};              ///< one per objective, once complete
  std::map<std::int64_t, double> reports = {};  ///< intermediate values by step
  AttributeMap user = {};
  AttributeMap system = {};
  LocalTime started = 0;
  LocalTime completed = 0;
};

struct StudyInfo {
  std::string name;
  std::vector<Direction> directions;
  AttributeMap user = {};
  AttributeMap system = {};
};

struct Study {
  StudyInfo info;
  std::vector<Trial> trials;  ///< by number
};

/// What a list of studies tells of one.
struct StudySummary {
  StudyInfo info;
  std::int64_t trials = 0;
  std::map<TrialState, std::int64_t> by_state = {};
  LocalTime started = 0;    ///< of the first trial
  LocalTime completed = 0;  ///< of the last one that is
};

}  // namespace chop::search
