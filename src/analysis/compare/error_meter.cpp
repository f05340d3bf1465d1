#include "analysis/compare/error_meter.hpp"

namespace chop::analysis {

void ErrorMeter::add(const float* wanted, const float* given, std::int64_t count) {
  values_ += count;
  for (std::int64_t i = 0; i < count; ++i) {
    const double a = static_cast<double>(wanted[i]);
    const double b = static_cast<double>(given[i]);
    const bool differ = a != b && !(std::isnan(a) && std::isnan(b));
    if (differ) ++different_;
    if (!std::isfinite(a) || !std::isfinite(b)) {
      ++not_finite_;
      if (differ) ++without_a_difference_;
      continue;
    }
    max_abs_ = std::max(max_abs_, std::fabs(b - a));
    error_ += (b - a) * (b - a);
    signal_ += a * a;
  }
}

double ErrorMeter::mse() const {
  const std::int64_t measured = values_ - not_finite_;
  return measured == 0 ? 0 : error_ / static_cast<double>(measured);
}

double ErrorMeter::sqnr_db() const {
  if (without_a_difference_ > 0 || (values_ > 0 && not_finite_ == values_))
    return std::numeric_limits<double>::quiet_NaN();
  if (error_ == 0) return std::numeric_limits<double>::infinity();
  return 10 * std::log10(signal_ / error_);
}

}  // namespace chop::analysis
