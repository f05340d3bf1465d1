// Studies and trials for programs: everything that is stored, under Optuna's names.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "search/trial.hpp"

namespace chop {

/// Numbers that JSON has none for are the texts "inf", "-inf" and "nan".
nlohmann::ordered_json json_of(const Trial& trial);
/// Name, directions and attributes, without trials.
nlohmann::ordered_json json_of(const StudyInfo& info);
nlohmann::ordered_json json_of(const Study& study);

/// "minimise" or "maximise".
std::string_view word_for(Direction direction);
/// Seconds from start to end; nothing while one of them is not known.
std::optional<double> duration_of(const Trial& trial);

}  // namespace chop
