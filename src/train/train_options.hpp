// How to train, and the one table of what can be said about it.
//
// An option is a member of TrainOptions and a line of train_fields(). The command line, the
// fingerprint of a checkpoint, the identity of a study, search spaces and runners walk the table:
// none of them has a list of its own that could forget one.
#pragma once

#include <filesystem>

#include "config/field.hpp"
#include "train/optimiser.hpp"

namespace chop::train {

struct TrainOptions {
  std::int64_t max_epochs = 20;
  std::int64_t max_steps = -1;  ///< optimiser steps; negative: no limit
  std::int64_t batch_size = 128;
  std::int64_t accumulate_grad_batches = 1;
  std::int64_t patience = 0;  ///< epochs without a better validation loss; 0: never stop early
  std::string optimiser = "adam";
  OptimiserSettings settings = {};
  std::int64_t t_max = 0;              ///< epochs of the cosine; 0: max_epochs
  std::optional<double> eta_min = {};  ///< where it ends; the optimiser's own if not given
  std::uint64_t seed = 0;
  int threads = 1;
  std::int64_t log_every_n_steps = 50;
  std::int64_t most_batches = 0;           ///< of each split, for a quick try; 0: all
  std::filesystem::path checkpoints = {};  ///< folder of best.ckpt and last.ckpt; empty: none
  std::int64_t checkpoint_every_n_steps = 0;
  double checkpoint_every_seconds = 30;
  bool transformed = false;  ///< passes made the graph: checkpoints say so
};

/// What an option decides about a training.
enum class Decides : std::uint8_t {
  Steps,   ///< what a step computes: a run is resumed, a study continued, only with the same value
  Length,  ///< when it ends: a study is continued with the same, a run may be resumed with another
  Nothing  ///< neither of them: threads, checkpoints, reports
};

struct TrainField {
  /// Named as in settings; the default is that of TrainOptions. One that is not internal is a
  /// setting, with a flag and a key of configuration files.
  Field field;
  Decides decides = Decides::Steps;
  Tree (*get)(const TrainOptions&) = nullptr;
  void (*set)(TrainOptions&, const Tree&) = nullptr;  ///< takes what conforms to the field
  std::string_view in_checkpoint = {};                ///< its name there, where it is another one
  std::string_view in_study = {};                     ///< likewise
  std::string_view follows = {};       ///< the option it takes its value from when not given
  std::string_view default_word = {};  ///< what a fingerprint says instead of the default
  /// Studies from before it was recorded lack it, so it is recorded only where it is not the
  /// default.
  bool recorded_later = false;
  /// Of a trial, where they are others: it must end with metrics.
  std::optional<Bounds> in_trial = {};
};

std::span<const TrainField> train_fields();
/// The line of the table; asking for one that does not exist is a bug.
const TrainField& train_field(std::string_view name);

/// The options that decide what a run computes, by name, as the text a checkpoint holds.
std::map<std::string, std::string> fingerprint(const TrainOptions& options);
/// The options that decide what a trial of a study ends with.
Tree study_identity(const TrainOptions& options);

}  // namespace chop::train
