#include "search/algorithms/parzen.hpp"

#include <numbers>

#include "search/algorithms/normal.hpp"

namespace chop::search {
namespace {

double log_sum(std::span<const float> logs) {
  const float most = *std::max_element(logs.begin(), logs.end());
  float sum = 0;
  for (const float value : logs)
    if (value > most - 20) sum += std::exp(value - most);
  return static_cast<double>(most) + std::log(static_cast<double>(sum));
}

/// The standard deviation of the active positions; that of a uniform distribution if there are
/// none.
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
  // Half a uniform observation is added: a few positions that are close by chance would otherwise
  // give a very narrow kernel.
  const double mean = (sum + 0.5 * 0.5) / (count + 0.5);
  const double second = (squares + 0.5 * (0.25 + even * even)) / (count + 0.5);
  return std::sqrt(std::max(0.0, second - mean * mean));
}

}  // namespace

Parzen::Parzen(std::span<const Axis> axes, std::span<const double* const> centres,
               std::span<const double> weights, const ParzenOptions& options)
    : axes_(axes),
      kernels_(centres.size()),
      cumulative_(kernels_ + 1),
      log_weights_(kernels_ + 1),
      width_(axes.size()),
      centre_(axes.size() * kernels_),
      steepness_(axes.size() * kernels_),
      peak_(axes.size() * kernels_),
      logs_(kernels_ + 1) {
  double sum = 0;
  for (std::size_t i = 0; i <= kernels_; ++i) {
    sum += i < kernels_ ? weights[i] : options.prior_weight;
    cumulative_[i] = sum;
  }
  for (std::size_t i = 0; i <= kernels_; ++i)
    log_weights_[i] =
        static_cast<float>(std::log((i < kernels_ ? weights[i] : options.prior_weight) / sum));
  // Scott's rule: kernels get narrower with their number n, by n^(-1 / (dimensions + 4)). One
  // parameter alone needs narrower ones than the rule gives: otherwise the density of the other
  // trials hides the peaks.
  const double power = options.joint ? 1 / (static_cast<double>(axes.size()) + 4) : 0.5;
  const double shrink = std::pow(static_cast<double>(kernels_ + 1), -power);
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
    centre_[at] = static_cast<float>(centre);
    if (!is_active(centre)) continue;  // steepness and peak stay 0: uniform
    const double inside = normal_below((1 - centre) / width) - normal_below(-centre / width);
    const double area = width * inside * std::sqrt(2 * std::numbers::pi);
    steepness_[at] = static_cast<float>(1 / (2 * width * width));
    peak_[at] = -std::log(static_cast<float>(area));
  }
}

/// Aitchison and Aitken's kernel: the centre has probability 1 - away, the other choices share
/// `away`.
void Parzen::set_choices(std::size_t axis, std::span<const double* const> centres, double shrink) {
  const auto count = static_cast<double>(axes_[axis].count());
  const double away = std::min(0.5 * shrink, 1 - 1 / count);
  width_[axis] = away;
  const auto even = static_cast<float>(uniform_log(axis));
  const auto at_centre = static_cast<float>(std::log(1 - away));
  const auto elsewhere = static_cast<float>(std::log(away / (count - 1)));
  for (std::size_t i = 0; i < kernels_; ++i) {
    const std::size_t at = axis * kernels_ + i;
    const bool active = is_active(centres[i][axis]);
    centre_[at] = static_cast<float>(centres[i][axis]);
    peak_[at] = active ? at_centre : even;
    steepness_[at] = active ? elsewhere : even;
  }
}

double Parzen::uniform_log(std::size_t axis) const {
  return axes_[axis].is_line() ? 0 : -std::log(static_cast<double>(axes_[axis].count()));
}

/// Adds the log density of every kernel at a position of one axis.
void Parzen::add(std::size_t axis, double position) const {
  const auto x = static_cast<float>(position);
  const std::size_t count = kernels_;
  const float* __restrict centre = centre_.data() + axis * count;
  const float* __restrict steepness = steepness_.data() + axis * count;
  const float* __restrict peak = peak_.data() + axis * count;
  float* __restrict logs = logs_.data();
  if (axes_[axis].is_line()) {
    for (std::size_t i = 0; i < count; ++i) {
      const float distance = x - centre[i];
      const float log = peak[i] - distance * distance * steepness[i];
      logs[i] += distance == distance ? log : 0.0F;
    }
    return;
  }
  for (std::size_t i = 0; i < count; ++i) logs[i] += centre[i] == x ? peak[i] : steepness[i];
  logs[count] += static_cast<float>(uniform_log(axis));
}

double Parzen::log_density(std::span<const double> positions) const {
  logs_ = log_weights_;
  for (std::size_t axis = 0; axis < axes_.size(); ++axis)
    if (is_active(positions[axis])) add(axis, positions[axis]);
  return log_sum(logs_);
}

double Parzen::log_density(std::size_t axis, double position) const {
  logs_ = log_weights_;
  add(axis, position);
  return log_sum(logs_);
}

std::size_t Parzen::draw_kernel(Dice& dice) const {
  const double mark = dice.uniform() * cumulative_.back();
  const auto found = std::upper_bound(cumulative_.begin(), cumulative_.end() - 1, mark);
  return static_cast<std::size_t>(found - cumulative_.begin());
}

double Parzen::draw_position(std::size_t kernel, std::size_t axis, Dice& dice) const {
  const Axis& scale = axes_[axis];
  const double centre = kernel < kernels_ ? centre_[axis * kernels_ + kernel] : kInactive;
  const double u = dice.uniform();
  if (scale.is_line()) {
    if (!is_active(centre)) return u;
    const double width = width_[axis];
    const double below = normal_below(-centre / width);
    const double p = below + u * (normal_below((1 - centre) / width) - below);
    return std::clamp(centre + width * normal_quantile(std::clamp(p, 1e-12, 1 - 1e-12)), 0.0, 1.0);
  }
  const auto count = static_cast<std::uint64_t>(scale.count());
  if (!is_active(centre)) return static_cast<double>(dice.below(count));
  if (u >= width_[axis]) return centre;
  const auto other = static_cast<double>(dice.below(count - 1));
  return other < centre ? other : other + 1;
}

}  // namespace chop::search
