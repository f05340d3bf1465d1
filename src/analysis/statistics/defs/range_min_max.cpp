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
    StatResult result = range_result(groups_, count >= 1, [this](std::size_t g) {
      const Extent& extent = extents_[g];
      return extent.nan != 0
                 ? Ends{kNan, kNan}
                 : Ends{static_cast<double>(extent.least), static_cast<double>(extent.most)};
    });
    if (count < 2) result["range"] = not_available();
    result["count"] = count;
    return result;
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
