// range_quantile: min = the (1 - quantile)-quantile, max = the quantile; range = max - min.
//
// The q-quantile of n values lies at position q (n - 1) of the sorted ones, linearly interpolated.
// mode "exact" keeps the values and says how much; "stream" counts them by their leading bits
// (quantile_sketch.hpp); "auto" is exact while it keeps at most 2^20 elements, then streams.
#include "analysis/statistics/kept_samples.hpp"
#include "analysis/statistics/quantile_sketch.hpp"

namespace chop::analysis::statistics::range_quantile {
namespace {

constexpr std::int64_t kMostExactElements = std::int64_t{1} << 20;

/// Values at two positions; reorders `values`.
std::array<double, 2> exact(std::vector<float>& values, std::array<double, 2> positions) {
  if (std::any_of(values.begin(), values.end(), [](float x) { return std::isnan(x); }))
    return {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::quiet_NaN()};
  std::array<double, 2> found{};
  for (std::size_t i = 0; i < 2; ++i) {
    const double below = std::floor(positions[i]);
    const double part = positions[i] - below;
    const auto at = values.begin() + static_cast<std::ptrdiff_t>(below);
    std::nth_element(values.begin(), at, values.end());
    const auto low = static_cast<double>(*at);
    const auto high = part > 0 ? static_cast<double>(*std::min_element(at + 1, values.end())) : low;
    found[i] = high == low ? low : low + (high - low) * part;
  }
  return found;
}

class RangeQuantile : public Statistic {
 public:
  RangeQuantile(StatGroups groups, const Args& args)
      : groups_(std::move(groups)),
        quantile_(args.real("quantile")),
        abs_(args.flag("abs")),
        may_stream_(args.text("mode") != "exact"),
        kept_(groups_.elements()) {
    if (args.text("mode") == "stream") sketch_.emplace(groups_.groups());
  }

  void update(const float* samples, std::int64_t count) override {
    samples_ += count;
    in_blocks(samples, count, groups_.elements(), abs_, absolutes_,
              [this](const float* from, std::int64_t rows) { add(from, rows); });
  }

  StatResult result() const override {
    const std::int64_t count = groups_.count(samples_);
    const auto last = static_cast<double>(count - 1);
    StatResult result = range_result(groups_, count >= 1, [&](std::size_t g) {
      return ends_of(g, {(1 - quantile_) * last, quantile_ * last});
    });
    result["count"] = count;
    result["relative_error"] = sketch_ ? sketch_->relative_error() : 0.0;
    result["size_in_bytes"] =
        sketch_ ? static_cast<std::int64_t>(sketch_->size_in_bytes()) : kept_.size_in_bytes();
    return result;
  }

 private:
  void add(const float* samples, std::int64_t count) {
    const auto elements = static_cast<std::int64_t>(groups_.elements());
    if (!sketch_ && (!may_stream_ || (kept_.count() + count) * elements <= kMostExactElements))
      return kept_.add(samples, count);
    if (!sketch_) {
      sketch_.emplace(groups_.groups());
      kept_.visit([this](const float* from, std::int64_t rows) { stream(from, rows); });
      kept_.clear();
    }
    stream(samples, count);
  }

  void stream(const float* samples, std::int64_t count) {
    if (groups_.is_all())
      return sketch_->add_span(0, {samples, static_cast<std::size_t>(count) * groups_.elements()});
    groups_.visit(
        samples, count, scratch_,
        [this](std::size_t g, std::span<const float> values) { sketch_->add_span(g, values); },
        [this](std::span<const float> values) { sketch_->add_lanes(values); });
  }

  Ends ends_of(std::size_t g, std::array<double, 2> positions) const {
    if (sketch_) {
      const std::vector<double> ends = sketch_->at(g, positions);
      return {ends[0], ends[1]};
    }
    std::vector<float> values = kept_.gather(groups_, g);
    return exact(values, positions);
  }

  StatGroups groups_;
  double quantile_;
  bool abs_;
  bool may_stream_;
  std::int64_t samples_ = 0;
  KeptSamples kept_;
  std::optional<QuantileSketch> sketch_;
  std::vector<float> absolutes_;
  std::vector<float> scratch_;
};

}  // namespace

StatisticDef define() {
  return {.name = "range_quantile",
          .doc = "the quantiles 1 - quantile and quantile, exact or in bounded memory",
          .args = {device_arg(),
                   dims_arg(),
                   abs_arg(),
                   {.name = "quantile",
                    .initial = 0.975,
                    .doc = "the upper quantile; the lower one is 1 - quantile",
                    .bounds = {.least = 0, .most = 1}},
                   {.name = "mode",
                    .initial = "auto",
                    .doc = "\"exact\" keeps all values; \"stream\" counts them in bins of known "
                           "relative width; \"auto\" is exact up to 2^20 elements, then streams",
                    .choices = {"auto", "exact", "stream"}}},
          .make = make_grouped<RangeQuantile>};
}

}  // namespace chop::analysis::statistics::range_quantile
