#include "search/evaluation/runner_def.hpp"
#include "support/text.hpp"

#include "runners.inc"

namespace chop::search {
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
  return {.name = "data_loader",
          .initial = "val_dataloader",
          .doc = "the rows to evaluate on",
          .choices = {"train_dataloader", "val_dataloader", "test_dataloader"}};
}

Result<const Split*> rows_of(const Dataset& data, const Args& args) {
  const std::string& name = args.text("data_loader");
  const Split* split = name == "train_dataloader" ? &data.train
                       : name == "val_dataloader" ? &data.validation
                                                  : &data.test;
  if (split->rows() == 0)
    return args.wrong("data_loader", cat("the data set has no rows for ", name),
                      "choose another of train_dataloader, val_dataloader, test_dataloader");
  return split;
}

}  // namespace chop::search
