// abs_mean: sum |x| / n, in double.
#include "analysis/statistics/stat_groups.hpp"
#include "analysis/statistics/stat_loops.hpp"

namespace chop::analysis::statistics::abs_mean {
namespace {

class AbsMean : public Statistic {
 public:
  AbsMean(StatGroups groups, const Args& /*args*/)
      : groups_(std::move(groups)), sums_(groups_.groups()) {}

  void update(const float* samples, std::int64_t count) override {
    samples_ += count;
    if (groups_.is_all()) return add_rows(samples, static_cast<std::size_t>(count));
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
    double sum = 0;
    row_abs_sums({values.data(), 1, values.size()}, &sum);
    return sum;
  }

  void add_rows(const float* samples, std::size_t count) {
    constexpr std::size_t kAtOnce = 256;
    std::array<double, kAtOnce> sums;
    const std::size_t width = groups_.per_sample();
    for (std::size_t first = 0; first < count; first += kAtOnce) {
      const std::size_t now = std::min(kAtOnce, count - first);
      row_abs_sums({samples + first * width, now, width}, sums.data());
      for (std::size_t r = 0; r < now; ++r) sums_[0] += sums[r];
    }
  }

  StatGroups groups_;
  std::int64_t samples_ = 0;
  std::vector<double> sums_;
  std::vector<float> scratch_;
};

}  // namespace

StatisticDef define() {
  return {.name = "abs_mean",
          .doc = "mean of the absolute values",
          .args = {device_arg(), dims_arg()},
          .make = make_grouped<AbsMean>};
}

}  // namespace chop::analysis::statistics::abs_mean
