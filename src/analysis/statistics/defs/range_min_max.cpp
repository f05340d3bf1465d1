// range_min_max: the smallest and the largest element; range = max - min.
//
// A group with a NaN has NaN for all three, as in PyTorch.
#include "analysis/statistics/extent.hpp"
#include "analysis/statistics/stat_groups.hpp"

namespace chop::analysis::statistics::range_min_max {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

class RangeMinMax : public Statistic {
 public:
  RangeMinMax(StatGroups groups, const Args& args)
      : groups_(std::move(groups)), abs_(args.flag("abs")), extents_(groups_.groups()) {}

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
    std::vector<double> least;
    std::vector<double> most;
    std::vector<double> range;
    for (const Extent& extent : extents_) {
      const bool nan = extent.nan != 0;
      least.push_back(nan ? kNan : static_cast<double>(extent.least));
      most.push_back(nan ? kNan : static_cast<double>(extent.most));
      range.push_back(most.back() - least.back());
    }
    return {{"min", groups_.value(least)},
            {"max", groups_.value(most)},
            {"range", count < 2 ? not_available() : groups_.value(range)},
            {"count", count}};
  }

 private:
  void add(const float* samples, std::int64_t count) {
    if (groups_.is_all())  // no need to stop between samples
      return extents_[0].add({samples, static_cast<std::size_t>(count) * groups_.elements()});
    groups_.visit(
        samples, count, scratch_,
        [this](std::size_t g, std::span<const float> values) { extents_[g].add(values); },
        [this](std::span<const float> values) {
          for (std::size_t g = 0; g < values.size(); ++g) extents_[g].add(values[g]);
        });
  }

  StatGroups groups_;
  bool abs_;
  std::int64_t samples_ = 0;
  std::vector<Extent> extents_;
  std::vector<float> absolutes_;
  std::vector<float> scratch_;
};

}  // namespace

StatisticDef define() {
  return {.name = "range_min_max",
          .doc = "the smallest and the largest value",
          .args = {device_arg(), dims_arg(), abs_arg()},
          .make = make_grouped<RangeMinMax>};
}

}  // namespace chop::analysis::statistics::range_min_max
