// The pictures of a sweep: curves of every run, and for a grid of two settings a heat map.

#include "cli/views/sweep_report.hpp"
#include "cli/views/training_report.hpp"
#include "support/system/files.hpp"
#include "support/text.hpp"

namespace chop::cli {
namespace {

/// More lines than that have no colours of their own.
constexpr std::size_t kMostLines = 8;

std::string capitalised(std::string text) {
  text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return text;
}

/// The swept settings but for the seed, by their index in SweepRun::settings.
std::vector<std::size_t> axes_of(const SweepRun& run) {
  std::vector<std::size_t> axes;
  for (std::size_t i = 0; i < run.axes; ++i)
    if (run.settings[i].first != "seed") axes.push_back(i);
  return axes;
}

/// The values of a setting in the order of the runs.
std::vector<std::string> values_of(std::span<const SweepRun> runs, std::size_t axis) {
  std::vector<std::string> values;
  for (const SweepRun& run : runs)
    if (std::find(values.begin(), values.end(), run.settings[axis].second) == values.end())
      values.push_back(run.settings[axis].second);
  return values;
}

/// The mean of a figure over the runs with these two values; NaN where there is none.
double mean_at(std::span<const SweepRun> runs, const SweepFigure& figure, std::size_t y_axis,
               const std::string& y, std::size_t x_axis, const std::string& x) {
  double sum = 0;
  std::size_t count = 0;
  for (const SweepRun& run : runs) {
    if (run.settings[y_axis].second != y || run.settings[x_axis].second != x) continue;
    const std::optional<double> value = figure.of(run);
    if (!value) continue;
    sum += *value;
    ++count;
  }
  return count == 0 ? std::nan("") : sum / static_cast<double>(count);
}

Status write_heat_maps(const std::filesystem::path& folder, const std::string& network,
                       std::span<const SweepRun> runs, std::size_t y_axis, std::size_t x_axis) {
  const bool seeds = runs.front().axes > axes_of(runs.front()).size();
  for (const SweepFigure& figure : sweep_figures()) {
    HeatMap map{.title = cat(capitalised(figure.label), " of ", network),
                .x_label = runs.front().settings[x_axis].first,
                .y_label = runs.front().settings[y_axis].first,
                .columns = values_of(runs, x_axis),
                .rows = values_of(runs, y_axis),
                .values = {},
                .more_is_better = std::string_view(figure.name).ends_with("acc"),
                .note = seeds ? "means over the seeds" : ""};
    for (const std::string& y : map.rows) {
      std::vector<double> row;
      for (const std::string& x : map.columns)
        row.push_back(mean_at(runs, figure, y_axis, y, x_axis, x));
      map.values.push_back(std::move(row));
    }
    CH_CHECK(write_file(folder / cat("grid_", figure.name, ".svg"), to_svg(map)));
  }
  return {};
}

/// `part` is "" or what all these runs share: "batch_size=64".
Status write_lines(const std::filesystem::path& folder, const std::string& network,
                   const std::vector<const SweepRun*>& runs, const std::string& part) {
  for (const Curve& curve : all_curves()) {
    LineChart chart{.title = cat(capitalised(std::string(curve.label)), " of ", network,
                                 part.empty() ? "" : ", ", part),
                    .x_label = "epoch",
                    .y_label = std::string(curve.label),
                    .series = {}};
    for (const SweepRun* run : runs) {
      std::string label = run->label();
      if (!part.empty() && label.starts_with(part))
        label = std::string(trim(label.substr(part.size())));
      if (run->outcome) chart.series.push_back(curve_of(curve, label, run->outcome->history));
    }
    std::string name = cat(curve.name, part.empty() ? "" : "_", part, ".svg");
    std::replace(name.begin(), name.end(), '/', '-');
    CH_CHECK(write_file(folder / name, to_svg(chart)));
  }
  return {};
}

}  // namespace

Status write_pictures(const std::filesystem::path& folder, const std::string& network,
                      std::span<const SweepRun> runs) {
  const std::vector<std::size_t> axes = axes_of(runs.front());
  if (axes.size() == 2) CH_CHECK(write_heat_maps(folder, network, runs, axes[0], axes[1]));
  std::vector<const SweepRun*> all;
  for (const SweepRun& run : runs) all.push_back(&run);
  if (axes.size() < 2 || runs.size() <= kMostLines) return write_lines(folder, network, all, "");
  for (const std::string& value : values_of(runs, axes[0])) {
    std::vector<const SweepRun*> part;
    for (const SweepRun* run : all)
      if (run->settings[axes[0]].second == value) part.push_back(run);
    CH_CHECK(
        write_lines(folder, network, part, cat(runs.front().settings[axes[0]].first, "=", value)));
  }
  return {};
}

}  // namespace chop::cli
