// variance_online: mean and variance in one pass, keeping nothing.
//
// dims = "all", estimator = "reference": a sample with n elements, mean m and unbiased variance v
//   d = m - mean;  mean += d n/(c+n);  M += v n + d^2 c n/(c+n);  c += n;  variance = M/c
// where a plain merge would add v (n-1); that is what the other estimators do, and what happens
// for other dims, where samples are merged element by element.
#include "analysis/statistics/moments.hpp"

namespace chop::analysis::statistics::variance_online {
namespace {

class VarianceOnline : public Statistic {
 public:
  VarianceOnline(StatGroups groups, const Args& args)
      : moments_(std::move(groups), estimator_of(args)) {}

  void update(const float* samples, std::int64_t count) override {
    moments_.update(samples, count);
  }

  StatResult result() const override {
    if (moments_.count() < 2) return {{"mean", not_available()}, {"variance", not_available()}};
    const MeanAndVariance found = moments_.result();
    return {{"mean", moments_.groups().value(found.mean)},
            {"variance", moments_.groups().value(found.variance)},
            {"count", moments_.count()}};
  }

 private:
  OnlineMoments moments_;
};

}  // namespace

StatisticDef define() {
  return {.name = "variance_online",
          .doc = "mean and variance in one pass, in bounded memory",
          .args = {device_arg(), dims_arg(), estimator_arg()},
          .make = make_grouped<VarianceOnline>};
}

}  // namespace chop::analysis::statistics::variance_online
