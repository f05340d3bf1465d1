// The registries of samplers, pruners and stores: what the files of their folders define.

#include "search/algorithms/pruner_def.hpp"
#include "search/algorithms/sampler_def.hpp"
#include "search/store/store.hpp"
#include "support/text.hpp"

#include "pruners.inc"
#include "samplers.inc"
#include "stores.inc"

namespace chop::search {
std::span<const SamplerDef> all_samplers() {
  static const std::vector<SamplerDef> table = samplers::collected();
  return table;
}

Result<const SamplerDef*> find_sampler(std::string_view name) {
  const std::string wanted = lower_case(name);
  std::vector<std::string> names;
  for (const SamplerDef& def : all_samplers()) {
    if (def.name == wanted || std::count(def.aliases.begin(), def.aliases.end(), wanted) > 0)
      return &def;
    names.emplace_back(def.name);
  }
  return Error{.what = cat("unknown sampler '", name, "'"),
               .hint = cat(did_you_mean(wanted, names), "there are ", join(names, ", "))};
}

std::span<const PrunerDef> all_pruners() {
  static const std::vector<PrunerDef> table = pruners::collected();
  return table;
}

Result<const PrunerDef*> find_pruner(std::string_view name) {
  std::vector<std::string> names;
  for (const PrunerDef& def : all_pruners()) {
    if (def.name == lower_case(name)) return &def;
    names.emplace_back(def.name);
  }
  return Error{.what = cat("unknown pruner '", name, "'"),
               .hint = cat(did_you_mean(name, names), "there are ", join(names, ", "))};
}

std::span<const StoreDef> all_stores() {
  static const std::vector<StoreDef> table = stores::collected();
  return table;
}

}  // namespace chop::search
