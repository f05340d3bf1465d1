#include "search/algorithms/normal.hpp"

#include <numbers>

namespace chop::search {
namespace {

constexpr double kFarthest = 8;
constexpr double kPerUnit = 512;
using Table = std::array<double, static_cast<std::size_t>(2 * kFarthest * kPerUnit) + 2>;

const Table& normal_table() {
  static const Table table = [] {
    Table made{};
    for (std::size_t i = 0; i < made.size(); ++i) {
      const double x = static_cast<double>(i) / kPerUnit - kFarthest;
      made[i] = std::erfc(-x / std::numbers::sqrt2) / 2;
    }
    return made;
  }();
  return table;
}

double polynomial(std::span<const double> coefficients, double x) {
  double value = 0;
  for (const double coefficient : coefficients) value = value * x + coefficient;
  return value;
}

/// For p below 0.02425.
double quantile_of_tail(double p) {
  constexpr std::array<double, 6> kAbove = {-7.784894002430293e-03, -3.223964580411365e-01,
                                            -2.400758277161838e+00, -2.549732539343734e+00,
                                            4.374664141464968e+00,  2.938163982698783e+00};
  constexpr std::array<double, 5> kBelow = {7.784695709041462e-03, 3.224671290700398e-01,
                                            2.445134137142996e+00, 3.754408661907416e+00, 1};
  const double q = std::sqrt(-2 * std::log(p));
  return polynomial(kAbove, q) / polynomial(kBelow, q);
}

}  // namespace

double normal_below(double x) {
  if (!(x > -kFarthest)) return 0;
  if (x >= kFarthest) return 1;
  const Table& table = normal_table();
  const double at = (x + kFarthest) * kPerUnit;
  const auto index = static_cast<std::size_t>(at);
  const double part = at - static_cast<double>(index);
  return table[index] + part * (table[index + 1] - table[index]);
}

double normal_quantile(double p) {
  constexpr std::array<double, 6> kAbove = {-3.969683028665376e+01, 2.209460984245205e+02,
                                            -2.759285104469687e+02, 1.383577518672690e+02,
                                            -3.066479806614716e+01, 2.506628277459239e+00};
  constexpr std::array<double, 6> kBelow = {-5.447609879822406e+01, 1.615858368580409e+02,
                                            -1.556989798598866e+02, 6.680131188771972e+01,
                                            -1.328068155288572e+01, 1};
  constexpr double kTail = 0.02425;
  if (p < kTail) return quantile_of_tail(p);
  if (p > 1 - kTail) return -quantile_of_tail(1 - p);
  const double q = p - 0.5;
  return q * polynomial(kAbove, q * q) / polynomial(kBelow, q * q);
}

}  // namespace chop::search
