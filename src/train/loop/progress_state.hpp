// Where a training stands, besides weights and optimiser state: what a checkpoint must hold
// so that the run can go on to the same bits. Exact: reals are stored by their bits.
#pragma once

#include "train/trainer.hpp"

namespace chop::train {

struct ProgressState {
  std::int64_t epoch = 0;
  std::int64_t batch = 0;  ///< batches of this epoch already done
  std::int64_t step = 0;   ///< optimiser steps done
  double loss_sum = 0;     ///< of this epoch, weighted by rows
  std::int64_t correct = 0;
  std::int64_t rows = 0;
  std::int64_t best_epoch = -1;
  double best_loss = std::numeric_limits<double>::infinity();
  std::int64_t bad_epochs = 0;
  bool finished = false;
  std::vector<EpochMetrics> history = {};

  /// Counts a batch of this epoch: its mean loss and how many of its rows were right.
  void add_batch(double loss, std::int64_t right, std::int64_t batch_rows);
  /// Adds the epoch to the history and begins the next one.
  EpochMetrics end_epoch(double learning_rate, const Metrics& validation);
};

/// "jsc (synthetic)": what checkpoints call a data set.
std::string recorded_name(const Dataset& data);

/// What decides the bits of a run: the options and the data, by name, as text.
std::map<std::string, std::string> fingerprint(const TrainOptions& options, const Dataset& data);

/// As checkpoint info entries, and back. Reading checks every field and compares the
/// fingerprint; differences are listed in the error.
std::map<std::string, std::string> to_info(const ProgressState& state,
                                           const std::map<std::string, std::string>& fingerprint);
Result<ProgressState> from_info(const std::map<std::string, std::string>& info,
                                const std::map<std::string, std::string>& fingerprint);

}  // namespace chop::train
