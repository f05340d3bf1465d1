// Differences between two sets of values: largest error, mean squared error,
// signal-to-quantisation-noise ratio (SQNR).
#pragma once

#include "support/layers.hpp"

namespace chop::analysis {

/// Accumulates differences in the order of the values, in double precision.
class ErrorMeter {
 public:
  void add(const float* wanted, const float* given, std::int64_t count);

  std::int64_t values() const { return values_; }
  /// Values that differ; 0 equals -0, and NaN equals NaN.
  std::int64_t different() const { return different_; }
  /// Pairs that hold a NaN or an infinity; they count above and nowhere below.
  std::int64_t not_finite() const { return not_finite_; }
  double max_abs() const { return max_abs_; }
  double mse() const;
  /// 10 log10(Σ wanted² / Σ (given - wanted)²): infinite without errors, minus infinite
  /// where all wanted values are zero, NaN where a pair differs by a NaN or an infinity or no pair
  /// is finite.
  double sqnr_db() const;

 private:
  std::int64_t values_ = 0;
  std::int64_t different_ = 0;
  std::int64_t not_finite_ = 0;
  std::int64_t without_a_difference_ = 0;  ///< pairs that differ by a NaN or an infinity
  double max_abs_ = 0;
  double signal_ = 0;
  double error_ = 0;
};

}  // namespace chop::analysis
