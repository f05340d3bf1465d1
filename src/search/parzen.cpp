#include "search/parzen.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace chop {
namespace {

constexpr double kNone = -std::numeric_limits<double>::infinity();

/// Φ(x), the normal distribution.
double normal_below(double x) {
  return std::erfc(-x / std::numbers::sqrt2) / 2;
}

double log_sum(std::span<const double> logs) {
  const double most = *std::max_element(logs.begin(), logs.end());
  if (most == kNone) return kNone;
  double sum = 0;
  for (const double value : logs)
    if (value > most - 40) sum += std::exp(value - most);
  return most + std::log(sum);
}

/// The standard deviation of the places that are there; that of an even spread if there are none.
double spread_of(std::span<const double* const> centres, std::size_t axis) {
  double count = 0;
  double sum = 0;
  double squares = 0;
  for (const double* row : centres) {
    if (!is_active(row[axis])) continue;
    count += 1;
    sum += row[axis];
    squares += row[axis] * row[axis];
  }
  const double even = 1 / std::sqrt(12.0);
  if (count < 1) return even;
  // One even observation keeps two neighbours by chance from looking like certainty.
  const double mean = (sum + 0.5) / (count + 1);
  const double second = (squares + 0.25 + even * even) / (count + 1);
  return std::sqrt(std::max(0.0, second - mean * mean));
}

}  // namespace

double Dice::normal() {
  next_ += next_ & 1;  // a normal number takes an even and the odd one after it
  const double value = stream_.normal(next_);
  next_ += 2;
  return value;
}

Parzen::Parzen(std::span<const Axis> axes, std::span<const double* const> centres,
               std::span<const double> weights, const ParzenOptions& options)
    : axes_(axes),
      kernels_(centres.size()),
      cumulative_(kernels_ + 1),
      log_weights_(kernels_ + 1),
      centre_(axes.size() * kernels_),
      steepness_(axes.size() * kernels_),
      peak_(axes.size() * kernels_),
      width_(axes.size(), 1),
      logs_(kernels_ + 1) {
  double sum = 0;
  for (std::size_t i = 0; i <= kernels_; ++i) {
    sum += i < kernels_ ? weights[i] : options.prior_weight;
    cumulative_[i] = sum;
  }
  for (std::size_t i = 0; i <= kernels_; ++i)
    log_weights_[i] = std::log((i < kernels_ ? weights[i] : options.prior_weight) / sum);
  // Scott's rule: kernels shrink with their number, the slower the more dimensions there are.
  const double dimensions = options.joint ? static_cast<double>(axes.size()) : 1;
  const double shrink = std::pow(static_cast<double>(kernels_ + 1), -1 / (dimensions + 4));
  for (std::size_t axis = 0; axis < axes.size(); ++axis) {
    if (axes[axis].is_line())
      set_line(axis, centres, shrink, options.least_width);
    else
      set_choices(axis, centres, shrink);
  }
}

void Parzen::set_line(std::size_t axis, std::span<const double* const> centres, double shrink,
                      double least_width) {
  const auto count = static_cast<double>(axes_[axis].count());
  const double cell = count > 0 ? 1 / count : 0;
  const double width = std::max({spread_of(centres, axis) * shrink, least_width, 0.4 * cell});
  width_[axis] = width;
  for (std::size_t i = 0; i < kernels_; ++i) {
    const double centre = centres[i][axis];
    const std::size_t at = axis * kernels_ + i;
    if (!is_active(centre)) {
      centre_[at] = kInactive;
      continue;
    }
    const double inside = normal_below((1 - centre) / width) - normal_below(-centre / width);
    centre_[at] = centre;
    steepness_[at] = 1 / (2 * width * width);
    peak_[at] = -std::log(width * inside * std::sqrt(2 * std::numbers::pi));
  }
}

/// Aitchison and Aitken's kernel: what does not go to the centre is shared by the other choices.
void Parzen::set_choices(std::size_t axis, std::span<const double* const> centres, double shrink) {
  const auto count = static_cast<double>(axes_[axis].count());
  const double away = std::min(0.5 * shrink, 1 - 1 / count);
  width_[axis] = away;
  for (std::size_t i = 0; i < kernels_; ++i) {
    const std::size_t at = axis * kernels_ + i;
    centre_[at] = centres[i][axis];
    peak_[at] = std::log(1 - away);
    steepness_[at] = std::log(away / (count - 1));
  }
}

double Parzen::even_log(std::size_t axis) const {
  return axes_[axis].is_line() ? 0 : -std::log(static_cast<double>(axes_[axis].count()));
}

void Parzen::add_line(std::size_t axis, double place, std::vector<double>& logs) const {
  const double* centre = centre_.data() + axis * kernels_;
  const double* steepness = steepness_.data() + axis * kernels_;
  const double* peak = peak_.data() + axis * kernels_;
  for (std::size_t i = 0; i < kernels_; ++i) {
    const double distance = place - centre[i];
    const double log = peak[i] - distance * distance * steepness[i];
    logs[i] += is_active(centre[i]) ? log : 0;
  }
}

void Parzen::add_choices(std::size_t axis, double place, std::vector<double>& logs) const {
  const double even = even_log(axis);
  for (std::size_t i = 0; i < kernels_; ++i) {
    const std::size_t at = axis * kernels_ + i;
    const double log = centre_[at] == place ? peak_[at] : steepness_[at];
    logs[i] += is_active(centre_[at]) ? log : even;
  }
  logs[kernels_] += even;
}

double Parzen::log_density(std::span<const double> places) const {
  logs_ = log_weights_;
  for (std::size_t axis = 0; axis < axes_.size(); ++axis) {
    if (!is_active(places[axis])) continue;
    if (axes_[axis].is_line())
      add_line(axis, places[axis], logs_);
    else
      add_choices(axis, places[axis], logs_);
  }
  return log_sum(logs_);
}

double Parzen::log_density(std::size_t axis, double place) const {
  logs_ = log_weights_;
  if (axes_[axis].is_line())
    add_line(axis, place, logs_);
  else
    add_choices(axis, place, logs_);
  return log_sum(logs_);
}

std::size_t Parzen::draw_kernel(Dice& dice) const {
  const double mark = dice.uniform() * cumulative_.back();
  const auto found = std::upper_bound(cumulative_.begin(), cumulative_.end() - 1, mark);
  return static_cast<std::size_t>(found - cumulative_.begin());
}

double Parzen::draw_place(std::size_t kernel, std::size_t axis, Dice& dice) const {
  const Axis& seen = axes_[axis];
  const double centre = kernel < kernels_ ? centre_[axis * kernels_ + kernel] : kInactive;
  if (!seen.is_line()) {
    const auto count = static_cast<std::uint64_t>(seen.count());
    if (!is_active(centre)) return static_cast<double>(dice.below(count));
    if (dice.uniform() >= width_[axis]) return centre;
    const auto other = static_cast<double>(dice.below(count - 1));
    return other < centre ? other : other + 1;
  }
  if (!is_active(centre)) return dice.uniform();
  // At least a third of all tries land inside, for any width a kernel has.
  for (int tries = 0; tries < 64; ++tries) {
    const double place = centre + width_[axis] * dice.normal();
    if (place >= 0 && place <= 1) return place;
  }
  return centre;
}

}  // namespace chop
