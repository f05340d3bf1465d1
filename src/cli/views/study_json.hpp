// Studies and trials for programs: everything that is stored, under Optuna's names.
#pragma once

#include "search/store/trial.hpp"
#include "support/tree.hpp"

namespace chop::cli {

/// Numbers that JSON cannot write are the texts "inf", "-inf" and "nan".
Tree tree_of(const Trial& trial);
/// Name, directions and attributes, without trials.
Tree tree_of(const StudyInfo& info);
Tree tree_of(const Study& study);

/// Seconds from start to end; nothing while one of them is not known.
std::optional<double> duration_of(const Trial& trial);

}  // namespace chop::cli
