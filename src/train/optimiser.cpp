#include "train/optimiser.hpp"

#include "support/text.hpp"

#include "optimisers.inc"

namespace chop::train {

std::span<const OptimiserDef> all_optimisers() {
  static const std::vector<OptimiserDef> table = optimisers::collected();
  return table;
}

Result<const OptimiserDef*> find_optimiser(std::string_view name) {
  std::vector<std::string> names;
  for (const OptimiserDef& def : all_optimisers()) {
    if (def.name == name) return &def;
    names.emplace_back(def.name);
  }
  return Error{.what = cat("unknown optimiser '", name, "'"),
               .hint = cat(did_you_mean(name, names), "there are ", join(names, ", "))};
}

}  // namespace chop::train
