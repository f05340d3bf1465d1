// Pruners end unpromising trials early, by the intermediate values they report. The file
// src/search/pruners/<name>.cpp defines `PrunerDef define()` in namespace
// chop::search::pruners::<name>; that is its registration. They need one objective.
#pragma once

#include "search/algorithms/sampler_def.hpp"

namespace chop::search {

class Pruner {
 public:
  virtual ~Pruner() = default;
  /// Whether `trial` should end now, after its last report. `trials` are all trials of the study,
  /// by number. May be called several times at one step.
  virtual bool should_prune(std::span<const SampledTrial> trials,
                            const SampledTrial& trial) const = 0;
};

struct PrunerDef {
  std::string_view name;
  std::string_view doc;  ///< one clause, lower-case, no final period
  std::vector<Field> args = {};
  /// Null: there is no pruner, so trials need not report.
  Result<std::unique_ptr<Pruner>> (*make)(Direction direction, const Args& args) = nullptr;
};

std::span<const PrunerDef> all_pruners();
Result<const PrunerDef*> find_pruner(std::string_view name);

}  // namespace chop::search
