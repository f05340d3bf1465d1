// Choosing a format's range from data: a bounded sample of values, and four criteria.
#pragma once

#include "ir/graph.hpp"

namespace chop::analysis {

enum class CalibrationMethod : std::uint8_t {
  MinMax,    ///< the finest format that holds every value seen
  Quantile,  ///< the finest that holds all but the outermost values
  Mse,       ///< the least mean squared error
  Kl         ///< the least divergence of the quantised distribution from the true one
};
/// Their names, in the same order.
std::span<const std::string_view> calibration_methods();
Result<CalibrationMethod> calibration_method(std::string_view name);

/// Takes any number of values and keeps a bounded, evenly spaced sample of them: every value,
/// then every second, every fourth ... so that the same values in the same order always leave
/// the same sample. The extremes are exact.
class ValueSample {
 public:
  explicit ValueSample(std::size_t capacity = std::size_t{1} << 16) : capacity_(capacity) {}

  void update(std::span<const float> values);

  std::int64_t count() const { return count_; }
  float least() const { return least_; }
  float most() const { return most_; }
  std::span<const float> values() const { return kept_; }

 private:
  std::size_t capacity_;
  std::int64_t count_ = 0;
  std::int64_t stride_ = 1;
  float least_ = 0;
  float most_ = 0;
  std::vector<float> kept_;
};

struct CalibrationOptions {
  CalibrationMethod method = CalibrationMethod::Mse;
  double quantile = 0.999;  ///< share of the values that must fit, for Quantile
};

/// `format` completed with the value of its open key that suits the sample best; among equals
/// the one tried first. An error when there are no values.
Result<NumberFormat> calibrate(const NumberFormat& format, const ValueSample& sample,
                               const CalibrationOptions& options);

}  // namespace chop::analysis
