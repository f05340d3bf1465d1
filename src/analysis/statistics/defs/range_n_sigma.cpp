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
    StatResult result = {{"count", count}};
    if (kept_) result["size_in_bytes"] = kept_->size_in_bytes();
    if (count < 2) {
      result["min"] = result["max"] = result["range"] = not_available();
      return result;
    }
    const MeanAndVariance found = kept_ ? precise_moments(groups_, *kept_) : online_->result();
    std::vector<double> least(found.mean.size());
    std::vector<double> most(found.mean.size());
    std::vector<double> range(found.mean.size());
    for (std::size_t g = 0; g < found.mean.size(); ++g) {
      const double apart = num_sigma_ * std::sqrt(found.variance[g]);
      least[g] = found.mean[g] - apart;
      most[g] = found.mean[g] + apart;
      range[g] = most[g] - least[g];
    }
    result["min"] = groups_.value(least);
    result["max"] = groups_.value(most);
    result["range"] = groups_.value(range);
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
