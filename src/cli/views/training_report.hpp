// What a training leaves behind besides checkpoints: TensorBoard events, metrics as CSV, the
// learning curves as a picture.
#pragma once

#include <filesystem>

#include "cli/settings/settings.hpp"
#include "report/svg.hpp"
#include "report/table.hpp"
#include "report/tensorboard.hpp"
#include "train/trainer.hpp"

namespace chop::cli {

/// The folder of <project>/software that events, metrics and pictures go to.
constexpr std::string_view kTensorboardFolder = "tensorboard";

/// One row per epoch; stable column keys.
Table history_table(std::span<const EpochMetrics> history);
/// What can be drawn over the epochs of a training.
struct Curve {
  std::string_view name;   ///< as a file and a column are called: "val_acc"
  std::string_view label;  ///< "validation accuracy"
  double EpochMetrics::*value;
};
std::span<const Curve> all_curves();
Series curve_of(const Curve& curve, std::string name, std::span<const EpochMetrics> history);

/// metrics.csv, learning_curves.svg (loss) and accuracy_curves.svg of one training.
Status write_history(const std::filesystem::path& folder, const std::string& title,
                     std::span<const EpochMetrics> history);

/// Writes as the training goes; the first failure is kept and returned by finish().
class TrainingReport {
 public:
  /// Creates software/tensorboard/lightning_logs/version_N with hparams.yaml.
  static Result<TrainingReport> open(const std::filesystem::path& software,
                                     const Settings& settings);

  void on_step(const StepMetrics& metrics);
  void on_epoch(const EpochMetrics& metrics);
  /// Begins its files anew, with the epochs so far, if the project `was_removed`.
  void keep(const Result<bool>& was_removed);
  /// What write_history() writes, beside the events.
  Status finish(const std::string& title, std::span<const EpochMetrics> history);
  /// The same for a training that failed, with the epochs it completed.
  Status finish(const std::string& title) { return finish(title, history_); }
  const std::filesystem::path& folder() const { return folder_; }

 private:
  TrainingReport(std::filesystem::path folder, std::string hparams, EventWriter events)
      : folder_(std::move(folder)), hparams_(std::move(hparams)), events_(std::move(events)) {}
  Status begin_again();
  void add_epoch(const EpochMetrics& metrics);
  void add(std::string_view tag, double value, std::int64_t step);

  std::filesystem::path folder_;
  std::string hparams_;  ///< YAML
  EventWriter events_;
  std::vector<EpochMetrics> history_;
  std::optional<Error> failure_;
};

}  // namespace chop::cli
