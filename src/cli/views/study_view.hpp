// A study for people: what it is after, how far it is, its best trials; and its trials as a table.
#pragma once

#include "report/table.hpp"
#include "search/store/store.hpp"

namespace chop::cli {

/// The best complete trials, best first: by value, or with several objectives all of the front by
/// number.
std::vector<const Trial*> best_of(const Study& study);

/// One row per study.
Table studies_table(const std::vector<StudySummary>& studies);
/// Directions, counts by state, times, and the best trial or the size of the front.
std::string study_text(const Study& study, const std::vector<const Trial*>& best);
/// Number, values, duration and parameters.
Table best_trials_table(const Study& study, std::span<const Trial* const> trials);
/// All trials under the column names of Optuna's trials_dataframe.
Table trials_table(const Study& study);

/// "10 complete, 1 failed".
std::string counts_text(const std::map<TrialState, std::int64_t>& by_state);

}  // namespace chop::cli
