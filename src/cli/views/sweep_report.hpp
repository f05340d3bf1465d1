// What a sweep shows and leaves behind: tables of its runs, means over seeds, curves.
#pragma once

#include <filesystem>

#include "report/svg.hpp"
#include "report/table.hpp"
#include "train/trainer.hpp"

namespace chop::cli {

/// One training of a sweep.
struct SweepRun {
  /// Settings and their values as shown: those that are swept first.
  std::vector<std::pair<std::string, std::string>> settings;
  std::size_t axes = 0;  ///< how many of them are swept
  std::optional<TrainOutcome> outcome = {};
  std::optional<Metrics> test = {};
  std::optional<Error> failure = {};
  double seconds = 0;

  /// "batch_size=64 seed=1"; "run" where nothing is swept.
  std::string label() const;
  const EpochMetrics* best_epoch() const;
  /// All its epochs were done, or as many as it was patient for.
  bool is_finished() const;
};

/// A figure of a run's best epoch, or of its test.
struct SweepFigure {
  const char* name;   ///< of its column: "val_acc"
  const char* label;  ///< "validation accuracy"
  std::optional<double> (*of)(const SweepRun& run);
};
std::span<const SweepFigure> sweep_figures();

/// A row for each run, with the swept settings alone or with all of them.
enum class SweepColumns : std::uint8_t { Swept, All };
Table sweep_table(std::span<const SweepRun> runs, SweepColumns columns, bool synthetic);
/// "Every run: model jsc-tiny, seed 0": the settings that are not swept.
std::string fixed_settings(const SweepRun& run);

/// Mean and deviation (of a sample, n - 1) of finished runs that differ in their seed alone; no
/// rows unless seeds are swept. For people both stand in one column.
enum class Reader : std::uint8_t { Person, Program };
Table seeds_table(std::span<const SweepRun> runs, Reader reader);

/// train_loss.svg, val_loss.svg, train_acc.svg and val_acc.svg: a line for each run. Of a grid with
/// more runs than lines can be told apart, a picture for each value of the first setting
/// (val_acc_batch_size=64.svg). A grid of two settings has heat maps as well: grid_val_acc.svg.
Status write_pictures(const std::filesystem::path& folder, const std::string& network,
                      std::span<const SweepRun> runs);

}  // namespace chop::cli
