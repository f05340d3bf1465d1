// When a training is saved, and where: last.ckpt to go on from, best.ckpt with the best weights.
//
// last.ckpt is written every so many steps or seconds within an epoch, at the end of an epoch if a
// second of work has come together (epochs of milliseconds are not written one by one), and when
// the training ends. best.ckpt is written with it whenever there is a better epoch since.
#pragma once

#include <chrono>
#include <future>

#include "train/loop/training_checkpoint.hpp"

namespace chop::train {

class CheckpointWriter {
 public:
  /// Nothing is written without a folder in the options; options and data outlive it. The
  /// fingerprint, which reads all data, is found by another thread if there may be one.
  CheckpointWriter(const TrainOptions& options, const Dataset& data);

  const std::map<std::string, std::string>& fingerprint() { return fingerprint_.get(); }
  /// The run begins: seconds count from here.
  void start() { last_save_ = Clock::now(); }
  /// training.best has changed since it was last written.
  void best_changed() { best_unsaved_ = true; }

  bool is_due_after_step(std::int64_t step) const;
  bool is_due_after_epoch(std::int64_t step) const;
  Status save_best(const Training& training);
  Status save_last(const Training& training);

 private:
  using Clock = std::chrono::steady_clock;
  bool writes() const { return !options_.checkpoints.empty(); }
  double seconds_since_save() const;

  const TrainOptions& options_;
  std::shared_future<std::map<std::string, std::string>> fingerprint_;
  Clock::time_point last_save_;
  bool best_unsaved_ = false;
};

}  // namespace chop::train
