// Mean and variance of groups of elements: in one pass, or of samples that are kept.
#pragma once

#include "analysis/statistics/kept_samples.hpp"
#include "analysis/statistics/stat_groups.hpp"

namespace chop::analysis {

/// What a sum of squared deviations is divided by.
enum class Estimator : std::uint8_t {
  Reference,   ///< n; but for dims = "all" the unbiased variance inside a sample counts n times
  Population,  ///< n
  Unbiased     ///< n - 1
};

struct MeanAndVariance {
  std::vector<double> mean;  ///< one per group
  std::vector<double> variance;
};

/// Chan, Golub and LeVeque's update, sample by sample, in double.
class OnlineMoments {
 public:
  OnlineMoments(StatGroups groups, Estimator estimator);

  void update(const float* samples, std::int64_t count);
  std::int64_t count() const { return count_; }
  const StatGroups& groups() const { return groups_; }
  /// Meaningless below a count of 2.
  MeanAndVariance result() const;

 private:
  void add_rows(const float* samples, std::size_t count);
  /// Merges one sample of a group, given its mean and squared deviations.
  void merge(std::size_t g, double mean, double squares);
  void add_lanes(std::span<const float> values);

  StatGroups groups_;
  Estimator estimator_;
  std::int64_t count_ = 0;
  std::vector<double> mean_;
  std::vector<double> squares_;  ///< sums of squared deviations
  std::vector<float> scratch_;
};

/// The mean, then the unbiased variance around it, over all that was kept.
MeanAndVariance precise_moments(const StatGroups& groups, const KeptSamples& samples);

Field estimator_arg();
Estimator estimator_of(const Args& args);

}  // namespace chop::analysis
