// One step of the compiler. The file src/compile/defs/<name>.cpp defines `StepDef define()` in
// namespace chop::compile::steps::<name>; that is its registration.
#pragma once

#include "compile/state.hpp"

namespace chop::compile {

struct StepDef {
  std::string_view name;
  std::string_view doc;    ///< one clause, lower-case, no final period
  std::string_view after;  ///< the step before it; empty for the first
  /// Whether there is anything to do for a target; null: always.
  bool (*applies)(const Target&) = nullptr;
  bool needs_types = false;  ///< State::types are there when it runs
  Status (*run)(State&) = nullptr;
};

/// For steps that prepare what stays the same from run to run.
inline bool when_frozen(const Target& target) {
  return target.frozen && target.fuse && !target.reference_only;
}

/// All steps, in the order in which they run.
std::span<const StepDef> all_steps();
/// The step of that name; the error lists all.
Result<const StepDef*> find_step(std::string_view name);

/// Runs the steps behind `first` up to `last`, both names of steps, on a state that they fit.
Status run_between(State& state, std::string_view first, std::string_view last);

}  // namespace chop::compile
