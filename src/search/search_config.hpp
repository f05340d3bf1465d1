// The [search] table of a configuration file, checked: what is searched, how, and what for.
#pragma once

#include "config/args.hpp"
#include "search/algorithms/pruner_def.hpp"
#include "search/evaluation/runner_def.hpp"

namespace chop::search {

struct RunnerCall {
  const RunnerDef* def = nullptr;
  Args args;
};

struct SearchConfig {
  ArgSource source = {};                 ///< of [search]
  Tree space = {};                       ///< [search.search_space]
  bool searches_formats = true;          ///< false: hyper-parameters of training alone
  std::vector<RunnerCall> runners = {};  ///< hardware first, then those that train
  /// In alphabetical order, as objectives are numbered.
  std::vector<ObjectiveMetric> metrics = {};
  bool sum = false;                           ///< one weighted objective
  Direction direction = Direction::Maximise;  ///< of the sum

  std::int64_t n_trials = 20;
  int n_jobs = 1;
  std::optional<double> timeout = {};  ///< seconds
  const SamplerDef* sampler = nullptr;
  Args sampler_args = {};
  const PrunerDef* pruner = nullptr;  ///< null: none
  Args pruner_args = {};
  std::vector<std::string> notes = {};  ///< what a person should know

  /// One per objective.
  std::vector<Direction> directions() const;
  /// "accuracy", "average_bitwidth", or "sum of scaled metrics".
  std::vector<std::string> objective_names() const;
};

/// What the command line says instead of the file.
struct SearchOverrides {
  std::optional<std::int64_t> n_trials = {};
  std::optional<std::int64_t> n_jobs = {};
  std::optional<double> timeout = {};
  std::optional<std::string> sampler = {};
};

Result<SearchConfig> read_search_config(const Tree& search, const std::string& file,
                                        const SearchOverrides& overrides);

/// Arguments of [search.strategy.setup], for documentation.
std::span<const Field> search_setup_args();

}  // namespace chop::search
