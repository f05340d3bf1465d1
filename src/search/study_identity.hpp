// Two searches are one study when their attributes agree: the space (each parameter's
// distribution), keys with one choice, objectives, runners, the network, a hash of its weights, a
// hash of the first rows of each split, and how trials train. They are stored with the study.
#pragma once

#include "search/evaluation/problem.hpp"
#include "search/store/store.hpp"

namespace chop::search {

/// Attributes with rules of their own.
namespace study_attributes {
inline constexpr const char* kSpace = "search_space";
inline constexpr const char* kFixed = "fixed_choices";
inline constexpr const char* kData = "data";
inline constexpr const char* kSimd = "simd";
}  // namespace study_attributes

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
