// Axis: the map between the values of a parameter and positions in [0, 1].
//
//   weight_width in {2, 4, 8}           2 -> 1/6, 4 -> 1/2, 8 -> 5/6: by rank
//   learning_rate 1e-4 .. 1e-1, log     1e-4 -> 0, 1e-3 -> 1/3, 1e-1 -> 1
#include <numeric>

#include "search/algorithms/parzen.hpp"

namespace chop::search {
namespace {

/// The choices as numbers; empty when one of them is not a number or two are equal. (A single
/// choice needs no order: it is 0.)
std::vector<double> numeric_choices(const std::vector<Tree>& choices) {
  if (choices.size() == 1) return {0};
  std::vector<double> numbers;
  for (const Tree& choice : choices) {
    if (const auto* integer = choice.as_integer())
      numbers.push_back(static_cast<double>(*integer));
    else if (const auto* real = choice.as_real())
      numbers.push_back(*real);
    else
      return {};
    if (std::count(numbers.begin(), numbers.end(), numbers.back()) > 1) return {};
  }
  return numbers;
}

}  // namespace

Axis::Axis(const Distribution& distribution)
    : distribution_(&distribution), count_(count_values(distribution)) {
  if (distribution.kind == Distribution::Kind::Categorical) {
    const std::vector<double> numbers = numeric_choices(distribution.choices);
    is_line_ = !numbers.empty();
    sorted_.resize(numbers.size());
    order_.resize(numbers.size());
    std::iota(sorted_.begin(), sorted_.end(), 0.0);
    std::sort(sorted_.begin(), sorted_.end(), [&](double a, double b) {
      return numbers[static_cast<std::size_t>(a)] < numbers[static_cast<std::size_t>(b)];
    });
    for (std::size_t i = 0; i < sorted_.size(); ++i)
      order_[static_cast<std::size_t>(sorted_[i])] =
          (static_cast<double>(i) + 0.5) / static_cast<double>(sorted_.size());
    return;
  }
  // Values of a finite range are in the middle of cells of equal width.
  const double half = distribution.step / 2;
  const double low = distribution.low - half;
  const double high = distribution.high + half;
  low_ = distribution.log ? std::log(low) : low;
  width_ = (distribution.log ? std::log(high) : high) - low_;
}

double Axis::position_of(double value) const {
  if (!is_active(value)) return value;
  if (!is_line_) return value;
  if (!order_.empty()) return order_[static_cast<std::size_t>(value)];
  if (!(width_ > 0)) return 0.5;
  return ((distribution_->log ? std::log(value) : value) - low_) / width_;
}

double Axis::value_near(double position) const {
  if (!is_line_) return position;
  if (!order_.empty()) {
    const double last = static_cast<double>(sorted_.size()) - 1;
    const double cell = std::clamp(std::floor(position * (last + 1)), 0.0, last);
    return sorted_[static_cast<std::size_t>(cell)];
  }
  const double number = low_ + position * width_;
  return nearest_value(*distribution_, distribution_->log ? std::exp(number) : number);
}

std::vector<Axis> axes_of(const Space& space) {
  std::vector<Axis> axes;
  axes.reserve(space.dimensions());
  for (const SpaceParameter& parameter : space.parameters())
    axes.emplace_back(parameter.distribution);
  return axes;
}

}  // namespace chop::search
