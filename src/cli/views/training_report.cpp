#include "cli/views/training_report.hpp"

#include "support/system/files.hpp"

namespace chop::cli {

Table history_table(std::span<const EpochMetrics> history) {
  Table table{.columns = {{"epoch"},
                          {"step"},
                          {"learning_rate"},
                          {"train_loss"},
                          {"train_acc"},
                          {"val_loss_epoch"},
                          {"val_acc_epoch"}},
              .rows = {}};
  for (const EpochMetrics& m : history)
    table.rows.push_back({m.epoch, m.step, Cell(m.learning_rate), Cell(m.train_loss),
                          Cell(m.train_accuracy), Cell(m.validation_loss),
                          Cell(m.validation_accuracy)});
  return table;
}

std::span<const Curve> all_curves() {
  static constexpr Curve kCurves[] = {
      {"train_loss", "train loss", &EpochMetrics::train_loss},
      {"val_loss", "validation loss", &EpochMetrics::validation_loss},
      {"train_acc", "train accuracy", &EpochMetrics::train_accuracy},
      {"val_acc", "validation accuracy", &EpochMetrics::validation_accuracy}};
  return kCurves;
}

Series curve_of(const Curve& curve, std::string name, std::span<const EpochMetrics> history) {
  Series series{.name = std::move(name)};
  for (const EpochMetrics& m : history) {
    series.x.push_back(static_cast<double>(m.epoch + 1));
    series.y.push_back(m.*curve.value);
  }
  return series;
}

Status write_history(const std::filesystem::path& folder, const std::string& title,
                     std::span<const EpochMetrics> history) {
  CH_CHECK(write_file(folder / "metrics.csv", to_csv(history_table(history))));
  const auto picture = [&](const char* what, const Curve& train, const Curve& validation) {
    return to_svg(LineChart{.title = title,
                            .x_label = "epoch",
                            .y_label = what,
                            .series = {curve_of(train, "train", history),
                                       curve_of(validation, "validation", history)}});
  };
  const std::span<const Curve> curves = all_curves();
  CH_CHECK(write_file(folder / "learning_curves.svg", picture("loss", curves[0], curves[1])));
  return write_file(folder / "accuracy_curves.svg", picture("accuracy", curves[2], curves[3]));
}

Result<TrainingReport> TrainingReport::open(const std::filesystem::path& software,
                                            const Settings& settings) {
  CH_TRY(std::filesystem::path folder,
         create_version_folder(software / kTensorboardFolder / "lightning_logs"));
  std::string hparams = to_yaml(settings_values(settings));
  CH_CHECK(write_file(folder / "hparams.yaml", hparams));
  CH_TRY(EventWriter events, EventWriter::open(folder));
  return TrainingReport(std::move(folder), std::move(hparams), std::move(events));
}

void TrainingReport::keep(const Result<bool>& was_removed) {
  if (was_removed && !was_removed.value()) return;
  Status status = was_removed ? begin_again() : Status(was_removed.error());
  if (!status && !failure_) failure_ = std::move(status).error();
}

Status TrainingReport::begin_again() {
  CH_CHECK(write_file(folder_ / "hparams.yaml", hparams_));
  CH_TRY(events_, EventWriter::open(folder_));
  for (const EpochMetrics& m : history_) add_epoch(m);
  return {};
}

void TrainingReport::add(std::string_view tag, double value, std::int64_t step) {
  if (failure_) return;
  if (Status status = events_.add_scalar(tag, value, step); !status)
    failure_ = std::move(status).error();
}

void TrainingReport::on_step(const StepMetrics& m) {
  add("train_loss_step", m.loss, m.step);
  add("train_acc_step", m.accuracy, m.step);
  add("learning_rate", m.learning_rate, m.step);
}

void TrainingReport::on_epoch(const EpochMetrics& m) {
  history_.push_back(m);
  add_epoch(m);
}

void TrainingReport::add_epoch(const EpochMetrics& m) {
  add("train_loss_epoch", m.train_loss, m.step);
  add("train_acc_epoch", m.train_accuracy, m.step);
  add("val_loss_epoch", m.validation_loss, m.step);
  add("val_acc_epoch", m.validation_accuracy, m.step);
  add("epoch", static_cast<double>(m.epoch), m.step);
}

Status TrainingReport::finish(const std::string& title, std::span<const EpochMetrics> history) {
  CH_CHECK(write_history(folder_, title, history));
  if (failure_) return *failure_;
  return {};
}

}  // namespace chop::cli
