// Every candidate value of the open key is tried: by range (min_max, quantile), by mean squared
// error, or by KL divergence of the sample. The best wins, the first among equals.
#include "analysis/calibration/calibrate.hpp"

#include "formats/quantiser.hpp"
#include "formats/registry.hpp"
#include "support/text.hpp"

namespace chop::analysis {
namespace {

constexpr std::array<std::string_view, 4> kMethods = {"min_max", "quantile", "mse", "kl"};
constexpr std::size_t kBins = 512;

struct Extremes {
  double least = 0;
  double most = 0;
};

/// The values that must fit: all, or those between the outer quantiles.
Extremes extremes_of(const ValueSample& sample, const CalibrationOptions& options) {
  if (options.method != CalibrationMethod::Quantile)
    return {double{sample.least()}, double{sample.most()}};
  std::vector<float> sorted(sample.values().begin(), sample.values().end());
  std::sort(sorted.begin(), sorted.end());
  const auto last = static_cast<double>(sorted.size() - 1);
  const auto at = [&](double share) {
    return double{sorted[static_cast<std::size_t>(std::lround(share * last))]};
  };
  return {at(1 - options.quantile), at(options.quantile)};
}

/// How badly the extremes fit: first what is cut off, then what is left unused.
std::pair<double, double> misfit(const Range& range, Extremes wanted) {
  if (range.lowest >= 0) wanted.least = std::max(wanted.least, 0.0);
  const double cut = std::max({0.0, wanted.most - range.highest, range.lowest - wanted.least});
  return {cut, range.highest};
}

std::vector<float> quantised(const NumberFormat& format, std::span<const float> values) {
  std::vector<float> q(values.size());
  Quantiser::make(format, {static_cast<std::int64_t>(values.size())})
      .value()
      .run(values.data(), q.data());
  return q;
}

double squared_error(const NumberFormat& format, const ValueSample& sample) {
  const std::vector<float> q = quantised(format, sample.values());
  double sum = 0;
  for (std::size_t i = 0; i < q.size(); ++i) {
    const double error = double{q[i]} - double{sample.values()[i]};
    sum += error * error;
  }
  return sum;
}

/// Bins of equal width over what was seen.
struct Bins {
  std::vector<float> centres;
  std::vector<double> mass;
};

Bins bins_of(const ValueSample& sample) {
  const double width = (double{sample.most()} - double{sample.least()}) / double{kBins};
  Bins bins;
  for (std::size_t i = 0; i < kBins; ++i)
    bins.centres.push_back(
        static_cast<float>(double{sample.least()} + (static_cast<double>(i) + 0.5) * width));
  bins.mass.assign(kBins, 0);
  for (const float value : sample.values()) {
    const double position = width > 0 ? (double{value} - double{sample.least()}) / width : 0;
    bins.mass[std::min(kBins - 1, static_cast<std::size_t>(position))] += 1;
  }
  return bins;
}

/// Σ p·log(p/q). In p, what the format cannot reach lies in the outermost bins it can; q has the
/// values within reach alone and spreads the mass of each over the bins it stands for. So
/// both steps that are too wide and values cut off make them differ.
double divergence(const NumberFormat& format, const Range& range, const Bins& bins) {
  const std::vector<float> quantised_bins = quantised(format, bins.centres);
  std::size_t first = kBins;
  std::size_t last = 0;
  for (std::size_t i = 0; i < kBins; ++i)
    if (double{bins.centres[i]} >= range.lowest && double{bins.centres[i]} <= range.highest) {
      first = std::min(first, i);
      last = i;
    }
  if (first > last) return std::numeric_limits<double>::infinity();
  struct Level {
    double mass = 0;
    double bins = 0;
  };
  std::map<float, Level> levels;
  std::vector<double> p(kBins, 0);
  for (std::size_t i = 0; i < kBins; ++i) {
    p[std::clamp(i, first, last)] += bins.mass[i];
    if (i < first || i > last || bins.mass[i] == 0) continue;
    Level& level = levels[quantised_bins[i]];
    level.mass += bins.mass[i];
    level.bins += 1;
  }
  double sum = 0;
  for (std::size_t i = first; i <= last; ++i) {
    if (p[i] == 0) continue;
    const auto level = levels.find(quantised_bins[i]);
    // A bin that holds only what was cut off: as if one value had been there.
    const double q = level == levels.end() ? 1.0 : level->second.mass / level->second.bins;
    sum += p[i] * std::log(p[i] / q);
  }
  return sum;
}

}  // namespace

std::span<const std::string_view> calibration_methods() {
  return kMethods;
}

Result<CalibrationMethod> calibration_method(std::string_view name) {
  const auto* found = std::find(kMethods.begin(), kMethods.end(), name);
  if (found != kMethods.end()) return static_cast<CalibrationMethod>(found - kMethods.begin());
  return Error{.what = cat("unknown way to calibrate: '", name, "'"),
               .hint = cat("one of ",
                           join(std::vector<std::string>(kMethods.begin(), kMethods.end()), ", "))};
}

void ValueSample::update(std::span<const float> values) {
  for (const float value : values) {
    if (!std::isfinite(value)) continue;
    if (count_ == 0) least_ = most_ = value;
    least_ = std::min(least_, value);
    most_ = std::max(most_, value);
    if (count_++ % stride_ != 0) continue;
    kept_.push_back(value);
    if (kept_.size() < capacity_) continue;
    for (std::size_t i = 0; 2 * i < kept_.size(); ++i) kept_[i] = kept_[2 * i];
    kept_.resize((kept_.size() + 1) / 2);
    stride_ *= 2;
  }
}

Result<NumberFormat> calibrate(const NumberFormat& format, const ValueSample& sample,
                               const CalibrationOptions& options) {
  CH_TRY(const FormatDef* def, find_format(format.name));
  const std::string key(def->calibration.key);
  if (key.empty()) return complete(format);
  if (sample.count() == 0)
    return Error{.what = cat("no values to choose ", key, " from"),
                 .hint = cat("give ", key, ", or a data set")};
  CH_TRY(const Config config, complete_config(*def, format.config));
  const double abs_max =
      std::max(std::fabs(double{sample.least()}), std::fabs(double{sample.most()}));
  const Extremes extremes = extremes_of(sample, options);
  const Bins bins = options.method == CalibrationMethod::Kl ? bins_of(sample) : Bins{};
  std::optional<NumberFormat> best;
  std::pair<double, double> least = {std::numeric_limits<double>::infinity(), 0};
  for (const Attr& candidate : def->calibration.candidates(config, abs_max)) {
    NumberFormat tried = format;
    tried.config[key] = candidate;
    CH_TRY(tried, complete(tried));
    std::pair<double, double> badness;
    if (options.method == CalibrationMethod::Mse) {
      badness = {squared_error(tried, sample), 0};
    } else {
      CH_TRY(const Range range, range_of(tried));
      badness = options.method == CalibrationMethod::Kl
                    ? std::pair<double, double>{divergence(tried, range, bins), 0.0}
                    : misfit(range, extremes);
    }
    if (best && !(badness < least)) continue;
    least = badness;
    best = std::move(tried);
  }
  if (!best) return Error{.what = cat("the format ", format.name, " has no ", key, " to try")};
  return *best;
}

}  // namespace chop::analysis
