#include "search/evaluation/runner_def.hpp"
#include "support/text.hpp"

#include "runners.inc"

namespace chop::search {
namespace {

/// The reference system's names of the splits.
struct DataLoader {
  std::string_view name;
  Split Dataset::*split;
};
constexpr DataLoader kDataLoaders[] = {{"train_dataloader", &Dataset::train},
                                       {"val_dataloader", &Dataset::validation},
                                       {"test_dataloader", &Dataset::test}};

std::vector<std::string> data_loader_names() {
  std::vector<std::string> names;
  for (const DataLoader& each : kDataLoaders) names.emplace_back(each.name);
  return names;
}

}  // namespace

std::span<const RunnerDef> all_runners() {
  static const std::vector<RunnerDef> table = runners::collected();
  return table;
}

Result<const RunnerDef*> find_runner(std::string_view name, bool hardware) {
  std::vector<std::string> names;
  for (const RunnerDef& def : all_runners()) {
    if (def.hardware != hardware) continue;
    if (def.name == name) return &def;
    names.emplace_back(def.name);
  }
  return Error{.what = cat("unknown ", hardware ? "hardware" : "software", " runner '", name, "'"),
               .hint = cat(did_you_mean(name, names), "there are ", join(names, ", "))};
}

Field data_loader_argument() {
  Field field{.name = "data_loader", .initial = "val_dataloader", .doc = "the rows to evaluate on"};
  for (const DataLoader& each : kDataLoaders) field.choices.push_back(each.name);
  return field;
}

Result<const Split*> rows_of(const Dataset& data, const Args& args) {
  const std::string& name = args.text("data_loader");
  const auto* loader = std::find_if(std::begin(kDataLoaders), std::end(kDataLoaders),
                                    [&](const DataLoader& each) { return each.name == name; });
  assert(loader != std::end(kDataLoaders) && "the argument allows only these");
  const Split* split = &(data.*loader->split);
  if (split->rows() == 0)
    return args.wrong("data_loader", cat("the data set has no rows for ", name),
                      cat("choose another of ", join(data_loader_names(), ", ")));
  return split;
}

}  // namespace chop::search
