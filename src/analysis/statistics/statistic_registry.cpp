#include "analysis/statistics/statistic_def.hpp"
#include "support/text.hpp"

#include "statistics.inc"

namespace chop::analysis {
std::span<const StatisticDef> all_statistics() {
  static const std::vector<StatisticDef> table = statistics::collected();
  return table;
}

const StatisticDef* find_statistic(std::string_view name) {
  for (const StatisticDef& def : all_statistics())
    if (def.name == name) return &def;
  return nullptr;
}

Result<std::vector<StatisticCall>> statistic_calls(const Tree& table, const ArgSource& source) {
  std::vector<StatisticCall> calls;
  if (table.as_table() == nullptr) return calls;
  std::vector<std::string> names;
  for (const StatisticDef& def : all_statistics()) names.emplace_back(def.name);
  for (const auto& [name, given] : *table.as_table()) {
    const StatisticDef* def = find_statistic(name);
    if (def == nullptr) {
      Error error{.what = cat(source.path, ".", name, ": unknown statistic '", name, "'"),
                  .hint = cat(did_you_mean(name, names), "the statistics are ", join(names, ", "))};
      if (!source.file.empty())
        error.notes.push_back(given.line > 0 ? cat(source.file, ":", given.line) : source.file);
      return error;
    }
    CH_TRY(Args args, Args::check(def->args, given,
                                  {.path = cat(source.path, ".", name), .file = source.file}));
    calls.push_back({def, std::move(args)});
  }
  return calls;
}

Field device_arg() {
  return {.name = "device",
          .doc = "accepted and ignored: everything runs where the network runs",
          .ignored = true};
}

Field dims_arg() {
  return {
      .name = "dims",
      .initial = "all",
      .doc =
          "axes of a sample, its leading 1 included, that are reduced over with the "
          "samples; \"all\": one number for everything; \"none\" or \"NA\": one number per element",
      .kind = FieldKind::Dims};
}

Field abs_arg() {
  return {.name = "abs", .initial = false, .doc = "look at absolute values"};
}

}  // namespace chop::analysis
