#include <cctype>

#include "search/algorithms/pruner_def.hpp"
#include "search/algorithms/sampler_def.hpp"
#include "search/store/store.hpp"
#include "support/text.hpp"

namespace chop::search {
namespace samplers {
#define CH_ITEM(name)  \
  namespace name {     \
  SamplerDef define(); \
  }
#include "samplers.inc"
#undef CH_ITEM
}  // namespace samplers
namespace pruners {
#define CH_ITEM(name) \
  namespace name {    \
  PrunerDef define(); \
  }
#include "pruners.inc"
#undef CH_ITEM
}  // namespace pruners
namespace stores {
#define CH_ITEM(name) \
  namespace name {    \
  StoreDef define();  \
  }
#include "stores.inc"
#undef CH_ITEM
}  // namespace stores

namespace {

std::string lower_case(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower;
}

}  // namespace

std::span<const SamplerDef> all_samplers() {
  static const std::vector<SamplerDef> table = {
#define CH_ITEM(name) samplers::name::define(),
#include "samplers.inc"
#undef CH_ITEM
  };
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
  static const std::vector<PrunerDef> table = {
#define CH_ITEM(name) pruners::name::define(),
#include "pruners.inc"
#undef CH_ITEM
  };
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
  static const std::vector<StoreDef> table = {
#define CH_ITEM(name) stores::name::define(),
#include "stores.inc"
#undef CH_ITEM
  };
  return table;
}

}  // namespace chop::search
