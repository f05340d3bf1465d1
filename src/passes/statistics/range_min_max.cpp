// range_min_max: the smallest and the largest element; range = max - min.
//
// A group with a NaN has NaN for all three, as in PyTorch.
#include <array>
#include <limits>

#include "passes/stat_groups.hpp"

namespace chop::statistics {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

class RangeMinMax : public Statistic {
 public:
  RangeMinMax(StatGroups groups, bool abs)
      : groups_(std::move(groups)),
        abs_(abs),
        least_(groups_.groups(), kInfinity),
        most_(groups_.groups(), -kInfinity),
        nan_(groups_.groups()) {}

  void update(const float* samples, std::int64_t count) override {
    samples_ += count;
    in_blocks(samples, count, groups_.elements(), abs_, absolutes_,
              [this](const float* from, std::int64_t rows) { add(from, rows); });
  }

  StatResult result() const override {
    const std::int64_t count = groups_.count(samples_);
    if (count < 1)
      return {{"min", not_available()},
              {"max", not_available()},
              {"range", not_available()},
              {"count", count}};
    std::vector<double> least(least_.begin(), least_.end());
    std::vector<double> most(most_.begin(), most_.end());
    std::vector<double> range(least.size());
    for (std::size_t g = 0; g < least.size(); ++g) {
      if (nan_[g] != 0) least[g] = most[g] = std::numeric_limits<double>::quiet_NaN();
      range[g] = most[g] - least[g];
    }
    return {{"min", groups_.value(least)},
            {"max", groups_.value(most)},
            {"range", count < 2 ? not_available() : groups_.value(range)},
            {"count", count}};
  }

 private:
  void add(const float* samples, std::int64_t count) {
    if (groups_.is_all())  // no need to stop between samples
      return add_span(0, {samples, static_cast<std::size_t>(count) * groups_.elements()});
    groups_.visit(
        samples, count, scratch_,
        [this](std::size_t g, std::span<const float> values) { add_span(g, values); },
        [this](std::span<const float> values) {
          for (std::size_t g = 0; g < values.size(); ++g) {
            least_[g] = values[g] < least_[g] ? values[g] : least_[g];
            most_[g] = values[g] > most_[g] ? values[g] : most_[g];
            nan_[g] |= static_cast<std::uint32_t>(values[g] != values[g]);
          }
        });
  }

  void add_span(std::size_t g, std::span<const float> values) {
    constexpr std::size_t kLanes = 16;
    std::array<float, kLanes> least;
    std::array<float, kLanes> most;
    std::array<std::uint32_t, kLanes> nan{};
    least.fill(least_[g]);
    most.fill(most_[g]);
    const auto take = [&](std::size_t k, float value) {
      least[k] = value < least[k] ? value : least[k];
      most[k] = value > most[k] ? value : most[k];
      nan[k] |= static_cast<std::uint32_t>(value != value);
    };
    std::size_t i = 0;
    for (; i + kLanes <= values.size(); i += kLanes)
      for (std::size_t k = 0; k < kLanes; ++k) take(k, values[i + k]);
    for (; i < values.size(); ++i) take(0, values[i]);
    for (std::size_t k = 0; k < kLanes; ++k) {
      least_[g] = least[k] < least_[g] ? least[k] : least_[g];
      most_[g] = most[k] > most_[g] ? most[k] : most_[g];
      nan_[g] |= nan[k];
    }
  }

  StatGroups groups_;
  bool abs_;
  std::int64_t samples_ = 0;
  std::vector<float> least_;
  std::vector<float> most_;
  std::vector<std::uint32_t> nan_;
  std::vector<float> absolutes_;
  std::vector<float> scratch_;
};

Result<std::unique_ptr<Statistic>> make(const Args& args, const Shape& sample) {
  CH_TRY(StatGroups groups, StatGroups::make(args, sample));
  return std::unique_ptr<Statistic>(
      std::make_unique<RangeMinMax>(std::move(groups), args.flag("abs")));
}

}  // namespace

StatisticDef range_min_max() {
  return {.name = "range_min_max",
          .doc = "the smallest and the largest value",
          .args = {device_arg(), dims_arg(), abs_arg()},
          .make = make};
}

}  // namespace chop::statistics
