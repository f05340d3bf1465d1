// What makes two searches one study: the space, the objectives, the network, the rows.
#pragma once

#include "search/evaluation/problem.hpp"
#include "search/store/store.hpp"

namespace chop::search {

/// What a new study of the problem is called and remembers.
StudyInfo describe_study(const std::string& name, const SearchProblem& problem, const Graph& graph,
                         const Dataset& data);

/// An error that names what differs when `found` is a study of something else. `found` may have
/// been begun in Optuna: then its directions and the parameters of its trials must fit.
Status check_same_study(const StudyInfo& wanted, const Study& found, const Space& space);

/// An error when two studies were made of different spaces, objectives, networks or rows. What one
/// of them does not record is not compared.
Status check_same_attributes(const StudyInfo& a, const StudyInfo& b);

/// Creates the study, or checks the one there is.
Status open_study(StudyStore& store, const StudyInfo& wanted, const Space& space);

}  // namespace chop::search
