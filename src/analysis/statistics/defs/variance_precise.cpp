// variance_precise: mean and unbiased variance of samples that are kept.
//
// mean = sum x / n, then variance = sum (x - mean)^2 / (n - 1), in double. Keeps everything and
// says how much in size_in_bytes.
#include "analysis/statistics/moments.hpp"

namespace chop::analysis::statistics::variance_precise {
namespace {

class VariancePrecise : public Statistic {
 public:
  VariancePrecise(StatGroups groups, const Args& /*args*/)
      : groups_(std::move(groups)), kept_(groups_.elements()) {}

  void update(const float* samples, std::int64_t count) override { kept_.add(samples, count); }

  StatResult result() const override {
    StatResult result = {{"count", groups_.count(kept_.count())},
                         {"size_in_bytes", kept_.size_in_bytes()}};
    if (groups_.count(kept_.count()) < 2) {
      result["mean"] = result["variance"] = not_available();
      return result;
    }
    const MeanAndVariance found = precise_moments(groups_, kept_);
    result["mean"] = groups_.value(found.mean);
    result["variance"] = groups_.value(found.variance);
    return result;
  }

 private:
  StatGroups groups_;
  KeptSamples kept_;
};

}  // namespace

StatisticDef define() {
  return {.name = "variance_precise",
          .doc = "mean and unbiased variance of all samples, which are kept (4 bytes per element)",
          .args = {device_arg(), dims_arg()},
          .make = make_grouped<VariancePrecise>};
}

}  // namespace chop::analysis::statistics::variance_precise
