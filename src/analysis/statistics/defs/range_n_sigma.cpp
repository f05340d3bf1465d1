// range_n_sigma: min, max = mean -+ num_sigma sqrt(variance); range = max - min.
//
// var_mode = "online" takes mean and variance from variance_online's pass, "precise" from kept
// samples, whose size it then reports.
#include "analysis/statistics/moments.hpp"

namespace chop::analysis::statistics::range_n_sigma {
namespace {

class RangeNSigma : public Statistic {
 public:
  RangeNSigma(StatGroups groups, const Args& args)
      : groups_(groups), num_sigma_(args.real("num_sigma")), abs_(args.flag("abs")) {
    if (args.text("var_mode") == "precise")
      kept_.emplace(groups.elements());
    else
      online_.emplace(std::move(groups), estimator_of(args));
  }

  void update(const float* samples, std::int64_t count) override {
    in_blocks(samples, count, groups_.elements(), abs_, scratch_,
              [this](const float* from, std::int64_t rows) {
                if (kept_)
                  kept_->add(from, rows);
                else
                  online_->update(from, rows);
              });
  }

  StatResult result() const override {
    const std::int64_t count = kept_ ? groups_.count(kept_->count()) : online_->count();
    MeanAndVariance found;
    if (count >= 2) found = kept_ ? precise_moments(groups_, *kept_) : online_->result();
    StatResult result = range_result(groups_, count >= 2, [&](std::size_t g) {
      const double apart = num_sigma_ * std::sqrt(found.variance[g]);
      return Ends{found.mean[g] - apart, found.mean[g] + apart};
    });
    result["count"] = count;
    if (kept_) result["size_in_bytes"] = kept_->size_in_bytes();
    return result;
  }

 private:
  StatGroups groups_;
  double num_sigma_;
  bool abs_;
  std::optional<OnlineMoments> online_;
  std::optional<KeptSamples> kept_;
  std::vector<float> scratch_;
};

}  // namespace

StatisticDef define() {
  return {.name = "range_n_sigma",
          .doc = "mean minus and plus a number of standard deviations",
          .args = {device_arg(),
                   dims_arg(),
                   abs_arg(),
                   {.name = "var_mode",
                    .initial = "online",
                    .doc = "\"online\": as variance_online, in bounded memory; \"precise\": as "
                           "variance_precise, which keeps the samples",
                    .choices = {"online", "precise"}},
                   {.name = "num_sigma",
                    .initial = 3.0,
                    .doc = "how many standard deviations",
                    .bounds = {.above = 0}},
                   estimator_arg()},
          .make = make_grouped<RangeNSigma>};
}

}  // namespace chop::analysis::statistics::range_n_sigma
