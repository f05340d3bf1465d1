#include "train/optimiser.hpp"

#include <cmath>
#include <numbers>
#include <string>

#include "support/text.hpp"

namespace chop::train::optimisers {
#define CH_ITEM(name)    \
  namespace name {       \
  OptimiserDef define(); \
  }
#include "optimisers.inc"
#undef CH_ITEM
}  // namespace chop::train::optimisers

namespace chop::train {

std::span<const OptimiserDef> all_optimisers() {
  static const std::vector<OptimiserDef> table = {
#define CH_ITEM(name) optimisers::name::define(),
#include "optimisers.inc"
#undef CH_ITEM
  };
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

double cosine_learning_rate(double start, double end, std::int64_t epoch, std::int64_t period) {
  if (period <= 0) return start;
  const double angle = std::numbers::pi * static_cast<double>(epoch) / static_cast<double>(period);
  return end + (start - end) * (1 + std::cos(angle)) / 2;
}

}  // namespace chop::train
