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

LineChart learning_curves(const std::string& title, std::span<const EpochMetrics> history) {
  Series train{.name = "train"};
  Series validation{.name = "validation"};
  for (const EpochMetrics& m : history) {
    const auto epoch = static_cast<double>(m.epoch + 1);
    train.x.push_back(epoch);
    train.y.push_back(m.train_loss);
    validation.x.push_back(epoch);
    validation.y.push_back(m.validation_loss);
  }
  return {.title = title, .x_label = "epoch", .y_label = "loss", .series = {train, validation}};
}

Result<TrainingReport> TrainingReport::open(const std::filesystem::path& software,
                                            const Settings& settings) {
  CH_TRY(std::filesystem::path folder,
         create_version_folder(software / "tensorboard" / "lightning_logs"));
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
  CH_CHECK(write_file(folder_ / "metrics.csv", to_csv(history_table(history))));
  CH_CHECK(write_file(folder_ / "learning_curves.svg", to_svg(learning_curves(title, history))));
  if (failure_) return *failure_;
  return {};
}

}  // namespace chop::cli
