// abs_mean: sum |x| / n, in double.
#include <array>
#include <cmath>

#include "passes/stat_groups.hpp"

namespace chop::statistics {
namespace {

class AbsMean : public Statistic {
 public:
  explicit AbsMean(StatGroups groups) : groups_(std::move(groups)), sums_(groups_.groups()) {}

  void update(const float* samples, std::int64_t count) override {
    samples_ += count;
    groups_.visit(
        samples, count, scratch_,
        [this](std::size_t g, std::span<const float> values) { sums_[g] += sum(values); },
        [this](std::span<const float> values) {
          for (std::size_t g = 0; g < values.size(); ++g)
            sums_[g] += static_cast<double>(std::fabs(values[g]));
        });
  }

  StatResult result() const override {
    const std::int64_t count = groups_.count(samples_);
    if (count < 1) return {{"abs_mean", not_available()}, {"count", count}};
    std::vector<double> means = sums_;
    for (double& mean : means) mean /= static_cast<double>(count);
    return {{"abs_mean", groups_.value(means)}, {"count", count}};
  }

 private:
  static double sum(std::span<const float> values) {
    constexpr std::size_t kLanes = 8;
    std::array<double, kLanes> lanes{};
    std::size_t i = 0;
    for (; i + kLanes <= values.size(); i += kLanes)
      for (std::size_t k = 0; k < kLanes; ++k)
        lanes[k] += static_cast<double>(std::fabs(values[i + k]));
    double sum = 0;
    for (; i < values.size(); ++i) sum += static_cast<double>(std::fabs(values[i]));
    for (const double lane : lanes) sum += lane;
    return sum;
  }

  StatGroups groups_;
  std::int64_t samples_ = 0;
  std::vector<double> sums_;
  std::vector<float> scratch_;
};

Result<std::unique_ptr<Statistic>> make(const Args& args, const Shape& sample) {
  CH_TRY(StatGroups groups, StatGroups::make(args, sample));
  return std::unique_ptr<Statistic>(std::make_unique<AbsMean>(std::move(groups)));
}

}  // namespace

StatisticDef abs_mean() {
  return {.name = "abs_mean",
          .doc = "mean of the absolute values",
          .args = {device_arg(), dims_arg()},
          .make = make};
}

}  // namespace chop::statistics
