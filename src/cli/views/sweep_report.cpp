#include "cli/views/sweep_report.hpp"

#include "support/text.hpp"

namespace chop::cli {
namespace {

/// A number where the setting is one, so that CSV and JSON hold it as such.
Cell as_cell(const std::string& shown) {
  if (const auto whole = parse_int(shown)) return Cell(*whole, shown);
  if (const auto real = parse_double(shown)) return Cell(*real, shown);
  return shown;
}

template <double EpochMetrics::*value>
std::optional<double> of_best(const SweepRun& run) {
  const EpochMetrics* best = run.best_epoch();
  return best == nullptr ? std::nullopt : std::optional(best->*value);
}

constexpr SweepFigure kFigures[] = {
    {"train_loss", "train loss", of_best<&EpochMetrics::train_loss>},
    {"train_acc", "train accuracy", of_best<&EpochMetrics::train_accuracy>},
    {"val_loss", "validation loss", of_best<&EpochMetrics::validation_loss>},
    {"val_acc", "validation accuracy", of_best<&EpochMetrics::validation_accuracy>},
    {"test_loss", "test loss",
     [](const SweepRun& run) { return run.test ? std::optional(run.test->loss) : std::nullopt; }},
    {"test_acc", "test accuracy", [](const SweepRun& run) {
       return run.test ? std::optional(run.test->accuracy()) : std::nullopt;
     }}};

std::string note_on(const SweepRun& run) {
  if (run.failure) return run.failure->what;
  if (run.best_epoch() == nullptr) return "not finished";
  if (run.outcome->ending == Ending::EarlyStopped) return "stopped early";
  return run.outcome->ending == Ending::Interrupted ? "interrupted" : "";
}

struct Spread {
  double mean = 0;
  double deviation = 0;
};

Spread spread_of(std::span<const double> values) {
  Spread spread;
  for (const double value : values) spread.mean += value / static_cast<double>(values.size());
  if (values.size() < 2) return spread;
  double squares = 0;
  for (const double value : values) squares += (value - spread.mean) * (value - spread.mean);
  spread.deviation = std::sqrt(squares / static_cast<double>(values.size() - 1));
  return spread;
}

}  // namespace

std::span<const SweepFigure> sweep_figures() {
  return kFigures;
}

std::string SweepRun::label() const {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < axes; ++i)
    parts.push_back(cat(settings[i].first, "=", settings[i].second));
  return parts.empty() ? "run" : join(parts, " ");
}

const EpochMetrics* SweepRun::best_epoch() const {
  if (!outcome) return nullptr;
  for (const EpochMetrics& m : outcome->history)
    if (m.epoch == outcome->best_epoch) return &m;
  return nullptr;
}

bool SweepRun::is_finished() const {
  return best_epoch() != nullptr && outcome->ending != Ending::Interrupted;
}

Table sweep_table(std::span<const SweepRun> runs, SweepColumns columns, bool synthetic) {
  Table table;
  const auto shown = [columns](const SweepRun& run) {
    return std::span(run.settings)
        .first(columns == SweepColumns::All ? run.settings.size() : run.axes);
  };
  for (const auto& [name, value] : shown(runs.front()))
    table.columns.push_back({name, Align::Right});
  for (const char* name : {"epochs", "best_epoch"}) table.columns.push_back({name, Align::Right});
  for (const SweepFigure& figure : kFigures) table.columns.push_back({figure.name, Align::Right});
  table.columns.push_back({"seconds", Align::Right});
  table.columns.push_back({synthetic ? "note (synthetic data)" : "note", Align::Left, 0, "note"});
  for (const SweepRun& run : runs) {
    std::vector<Cell> row;
    for (const auto& [name, value] : shown(run)) row.push_back(as_cell(value));
    const EpochMetrics* best = run.best_epoch();
    row.push_back(best == nullptr ? Cell() : Cell(run.outcome->history.size()));
    row.push_back(best == nullptr ? Cell() : Cell(best->epoch + 1));
    for (const SweepFigure& figure : kFigures) {
      const std::optional<double> value = figure.of(run);
      row.push_back(value ? Cell(*value, 4) : Cell());
    }
    row.push_back(best == nullptr ? Cell() : Cell(run.seconds, 2));
    row.emplace_back(note_on(run));
    table.rows.push_back(std::move(row));
  }
  return table;
}

std::string fixed_settings(const SweepRun& run) {
  std::vector<std::string> parts;
  for (std::size_t i = run.axes; i < run.settings.size(); ++i)
    parts.push_back(cat(run.settings[i].first, " ", run.settings[i].second));
  return cat(join(report::wrap_text(cat("Every run: ", join(parts, ", ")), 80), "\n"), "\n\n");
}

Table seeds_table(std::span<const SweepRun> runs, Reader reader) {
  Table table;
  const auto is_other = [](const auto& setting) { return setting.first != "seed"; };
  const auto swept = [](const SweepRun& run) { return std::span(run.settings).first(run.axes); };
  const auto axes = swept(runs.front());
  if (std::all_of(axes.begin(), axes.end(), is_other)) return table;
  std::vector<std::pair<std::string, std::vector<const SweepRun*>>> groups;
  for (const SweepRun& run : runs) {
    if (!run.is_finished()) continue;
    std::string key;
    for (const auto& setting : swept(run))
      if (is_other(setting)) key += cat(setting.second, "\n");
    const auto found = std::find_if(groups.begin(), groups.end(),
                                    [&key](const auto& group) { return group.first == key; });
    (found == groups.end() ? groups.emplace_back(key, std::vector<const SweepRun*>()) : *found)
        .second.push_back(&run);
  }
  for (const auto& setting : axes)
    if (is_other(setting)) table.columns.push_back({setting.first, Align::Right});
  table.columns.push_back({"seeds", Align::Right});
  for (const SweepFigure& figure : kFigures) {
    table.columns.push_back({figure.name, Align::Right});
    if (reader == Reader::Program) table.columns.push_back({cat(figure.name, "_deviation")});
  }
  for (const auto& [key, members] : groups) {
    std::vector<Cell> row;
    for (const auto& setting : swept(*members.front()))
      if (is_other(setting)) row.push_back(as_cell(setting.second));
    row.emplace_back(members.size());
    for (const SweepFigure& figure : kFigures) {
      std::vector<double> values;
      for (const SweepRun* run : members)
        if (const std::optional<double> value = figure.of(*run)) values.push_back(*value);
      const Spread spread = spread_of(values);
      const std::string text =
          cat(Cell(spread.mean, 4).text, " ± ", Cell(spread.deviation, 4).text);
      row.push_back(values.empty() ? Cell()
                                   : Cell(spread.mean, reader == Reader::Person ? text : ""));
      if (reader == Reader::Program)
        row.push_back(values.empty() ? Cell() : Cell(spread.deviation));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace chop::cli
