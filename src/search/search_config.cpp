#include "search/search_config.hpp"

#include "search/space/format_keys.hpp"
#include "support/system/threads.hpp"
#include "support/text.hpp"

namespace chop::search {
namespace {

constexpr std::string_view kFormats = "graph/quantize/mixed_precision_ptq";
constexpr std::string_view kTraining = "train/hyper_parameters";
constexpr std::int64_t kMostJobs = 1024;

/// A table below `source`; nothing given is an empty one.
Result<const Tree*> table_at(const Tree& parent, const ArgSource& source, std::string_view name) {
  static const Tree kEmpty = Tree::table();
  const Tree* found = parent.find(name);
  if (found == nullptr) return &kEmpty;
  if (found->as_table() == nullptr)
    return at_line({.what = cat(source.path, ".", name, " is ", kind_of(*found), ", not a table"),
                    .hint = cat("write [", source.path, ".", name, "] on a line of its own")},
                   source, found->line);
  return found;
}

Status check_keys(const Tree& table, const ArgSource& source, std::vector<std::string> known) {
  for (const auto& [key, value] : *table.as_table())
    if (std::find(known.begin(), known.end(), key) == known.end())
      return at_line({.what = cat("unknown key '", source.path, ".", key, "'"),
                      .hint = cat(did_you_mean(key, known), "the keys are ", join(known, ", "))},
                     source, value.line);
  return {};
}

/// Reads the parts one after the other; errors name the key.
class Reader {
 public:
  Reader(const Tree& search, const std::string& file, const SearchOverrides& overrides)
      : search_(search), overrides_(overrides) {
    config_.source = {"search", file};
  }

  Result<SearchConfig> read() {
    CH_CHECK(check_keys(search_, config_.source, {"search_space", "strategy"}));
    CH_CHECK(read_space());
    CH_TRY(const Tree* strategy, table_at(search_, config_.source, "strategy"));
    const ArgSource source = inside("strategy");
    CH_CHECK(check_keys(
        *strategy, source,
        {"name", "eval_mode", "sw_runner", "hw_runner", "setup", "sampler", "pruner", "metrics"}));
    CH_CHECK(read_name(*strategy, source));
    CH_CHECK(read_setup(*strategy, source));
    for (const bool hardware : {true, false}) CH_CHECK(read_runners(*strategy, source, hardware));
    CH_CHECK(read_metrics(*strategy, source));
    std::stable_sort(config_.runners.begin(), config_.runners.end(),
                     [](const RunnerCall& a, const RunnerCall& b) { return rank(a) < rank(b); });
    CH_CHECK(check_fit(*strategy, source));
    return std::move(config_);
  }

 private:
  static int rank(const RunnerCall& call) {
    if (call.def->hardware) return 0;
    return call.def->configure != nullptr ? 1 : 2;
  }

  ArgSource inside(std::string_view name) const {
    return {cat(config_.source.path, ".", name), config_.source.file};
  }

  Status read_space() {
    CH_TRY(const Tree* space, table_at(search_, config_.source, "search_space"));
    const ArgSource source = inside("search_space");
    CH_CHECK(check_keys(*space, source, {"name", "setup", "seed", "train"}));
    config_.space = *space;
    const Tree* name = space->find("name");
    const std::string wanted =
        name != nullptr && name->as_text() != nullptr ? *name->as_text() : std::string(kFormats);
    if (wanted != kFormats && wanted != kTraining)
      return at_line({.what = cat(source.path, ".name = ", to_text(*name), ": no such space"),
                      .hint = cat("there are ", kFormats, " and ", kTraining)},
                     source, name->line);
    config_.searches_formats = wanted == kFormats;
    if (!config_.searches_formats && space->find("train") == nullptr)
      return at_line(
          {.what = cat(source.path, ".train is missing: there is nothing to choose from"),
           .hint = cat("write [", source.path, ".train] with lists of choices")},
          source, space->line);
    return {};
  }

  Status read_name(const Tree& strategy, const ArgSource& source) {
    const std::vector<Field> defs = {
        {.name = "name", .initial = "optuna", .choices = {"optuna", "chop"}},
        {.name = "eval_mode", .initial = true}};
    Tree own = Tree::table();
    for (const char* key : {"name", "eval_mode"})
      if (const Tree* value = strategy.find(key)) own.set(key, *value);
    CH_TRY(const Args args, Args::check(defs, own, source));
    if (!args.flag("eval_mode"))
      config_.notes.push_back(
          cat(source.path, ".eval_mode = false: networks are always evaluated in evaluation mode"));
    return {};
  }

  Status read_setup(const Tree& strategy, const ArgSource& source) {
    CH_TRY(const Tree* setup, table_at(strategy, source, "setup"));
    CH_TRY(const Args args,
           Args::check(search_setup_args(), *setup, {cat(source.path, ".setup"), source.file}));
    config_.n_trials = overrides_.n_trials.value_or(args.integer("n_trials"));
    const std::int64_t jobs = overrides_.n_jobs.value_or(args.integer("n_jobs"));
    if (jobs == 0 || jobs < -1 || jobs > kMostJobs)
      return args.wrong("n_jobs", cat(jobs, " workers cannot run"),
                        cat("n_jobs is from 1 to ", kMostJobs, ", or -1: one per core"));
    config_.n_jobs = jobs < 0 ? hardware_threads() : static_cast<int>(jobs);
    if (args.has("timeout")) config_.timeout = args.real("timeout");
    if (overrides_.timeout) config_.timeout = overrides_.timeout;
    config_.sum = args.flag("sum_scaled_metrics");
    if (config_.sum && !args.has("direction"))
      return args.wrong("direction", "is missing: a sum of metrics needs one",
                        "direction = \"maximize\" or \"minimize\"");
    if (args.has("direction")) {
      const auto direction = direction_from_name(args.text("direction"));
      if (!direction)
        return args.wrong("direction", cat("'", args.text("direction"), "' is no direction"),
                          "it is maximize or minimize");
      config_.direction = *direction;
    }
    if (args.has("pkl_ckpt"))
      config_.notes.push_back(cat(source.path,
                                  ".setup.pkl_ckpt is not read: studies live in databases "
                                  "(--storage, --study) and go on by themselves"));
    return read_algorithms(strategy, source, args);
  }

  /// Sampler and pruner, each with a table of arguments.
  Status read_algorithms(const Tree& strategy, const ArgSource& source, const Args& setup) {
    Result<const SamplerDef*> sampler =
        find_sampler(overrides_.sampler.value_or(setup.text("sampler")));
    if (!sampler) return setup.wrong("sampler", sampler.error().what, sampler.error().hint);
    config_.sampler = sampler.value();
    CH_TRY(const Tree* own, table_at(strategy, source, "sampler"));
    CH_TRY(config_.sampler_args,
           Args::check(config_.sampler->args, *own, {cat(source.path, ".sampler"), source.file}));
    CH_TRY(const Tree* pruning, table_at(strategy, source, "pruner"));
    const ArgSource pruner_source{cat(source.path, ".pruner"), source.file};
    Result<const PrunerDef*> pruner = find_pruner(setup.text("pruner"));
    if (!pruner) return setup.wrong("pruner", pruner.error().what, pruner.error().hint);
    CH_TRY(config_.pruner_args, Args::check(pruner.value()->args, *pruning, pruner_source));
    if (pruner.value()->make == nullptr) return {};
    config_.pruner = pruner.value();
    if (!config_.sum && strategy.find("metrics") != nullptr &&
        strategy.find("metrics")->as_table() != nullptr &&
        strategy.find("metrics")->as_table()->size() > 1)
      return setup.wrong("pruner", "pruning needs a single objective",
                         "sum_scaled_metrics = true makes them one; or leave the pruner out");
    return {};
  }

  Status read_runners(const Tree& strategy, const ArgSource& source, bool hardware) {
    const std::string_view kind = hardware ? "hw_runner" : "sw_runner";
    CH_TRY(const Tree* runners, table_at(strategy, source, kind));
    for (const auto& [name, given] : *runners->as_table()) {
      const ArgSource own{cat(source.path, ".", kind, ".", name), source.file};
      Result<const RunnerDef*> def = find_runner(name, hardware);
      if (!def) {
        Error error = std::move(def).error();
        error.what = cat(own.path, ": ", error.what);
        return at_line(std::move(error), source, given.line);
      }
      CH_TRY(Args args, Args::check(def.value()->args, given, own));
      config_.runners.push_back({def.value(), std::move(args)});
    }
    return {};
  }

  Status read_metrics(const Tree& strategy, const ArgSource& source) {
    CH_TRY(const Tree* metrics, table_at(strategy, source, "metrics"));
    const ArgSource all{cat(source.path, ".metrics"), source.file};
    if (metrics->as_table()->empty())
      return at_line({.what = cat(all.path, " is missing: there is nothing to search for"),
                      .hint = cat("write [", all.path,
                                  ".accuracy] with scale = 1.0 and direction = \"maximize\"")},
                     source, strategy.line);
    for (const auto& [name, given] : *metrics->as_table()) CH_CHECK(read_metric(name, given, all));
    std::sort(config_.metrics.begin(), config_.metrics.end(),
              [](const auto& a, const auto& b) { return a.name < b.name; });
    return {};
  }

  Status read_metric(const std::string& name, const Tree& given, const ArgSource& all) {
    const std::vector<Field> defs = {
        {.name = "scale", .initial = 1.0, .doc = "what it is multiplied by"},
        {.name = "direction", .doc = "minimize or maximize", .required = true}};
    const ArgSource source{cat(all.path, ".", name), all.file};
    CH_TRY(const Args args, Args::check(defs, given, source));
    const auto direction = direction_from_name(args.text("direction"));
    if (!direction)
      return args.wrong("direction", cat("'", args.text("direction"), "' is no direction"),
                        "it is maximize or minimize");
    if (args.real("scale") == 0) return args.wrong("scale", "a metric times 0 says nothing");
    if (!std::isfinite(args.real("scale")))
      return args.wrong("scale", "is not finite", "it is a number other than 0");
    CH_TRY(const RunnerDef* def, runner_of(name, source, given.line));
    config_.metrics.push_back({name, args.real("scale"), *direction, def->hardware});
    return {};
  }

  /// The runner that gives a metric: one of the file's, else one with its defaults.
  Result<const RunnerDef*> runner_of(const std::string& metric, const ArgSource& source, int line) {
    const auto gives = [&metric](const RunnerDef& def) {
      return std::any_of(def.metrics.begin(), def.metrics.end(),
                         [&metric](const auto& one) { return one.first == metric; });
    };
    for (const RunnerCall& call : config_.runners)
      if (gives(*call.def)) return call.def;
    std::vector<std::string> known;
    for (const RunnerDef& def : all_runners()) {
      for (const auto& [name, doc] : def.metrics) known.emplace_back(name);
      if (!gives(def) || def.configure != nullptr) continue;
      const std::string path =
          cat("search.strategy.", def.hardware ? "hw_runner." : "sw_runner.", def.name);
      config_.notes.push_back(cat(source.path, ": measured by ", path, " with its defaults"));
      CH_TRY(Args args, Args::check(def.args, Tree(), {path, source.file}));
      config_.runners.push_back({&def, std::move(args)});
      return &def;
    }
    std::sort(known.begin(), known.end());
    known.erase(std::unique(known.begin(), known.end()), known.end());
    return at_line({.what = cat(source.path, ": no runner gives this metric"),
                    .hint = cat(did_you_mean(metric, known), "there are ", join(known, ", "))},
                   source, line);
  }

  Status check_fit(const Tree& strategy, const ArgSource& source) {
    const bool trains = std::any_of(config_.runners.begin(), config_.runners.end(),
                                    [](const RunnerCall& call) { return call.def->configure; });
    if (config_.space.find("train") != nullptr && !trains)
      return at_line({.what = "search.search_space.train: nothing is trained",
                      .hint = cat("write [", source.path, ".sw_runner.basic_train]")},
                     source, config_.space.find("train")->line);
    if (config_.directions().size() > 1 && !config_.sampler->several_objectives)
      return at_line({.what = cat(source.path, ".setup.sampler: ", config_.sampler->name,
                                  " takes one objective"),
                      .hint = "sum_scaled_metrics = true makes one of several"},
                     source, strategy.line);
    return {};
  }

  const Tree& search_;
  const SearchOverrides& overrides_;
  SearchConfig config_;
};

}  // namespace

Result<SearchConfig> read_search_config(const Tree& search, const std::string& file,
                                        const SearchOverrides& overrides) {
  return Reader(search, file, overrides).read();
}

}  // namespace chop::search
