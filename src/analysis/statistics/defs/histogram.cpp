// histogram: how many elements fall in each of `bins` intervals.
//
// With min and max: equal bins between them, the last one closed; outside are underflow and
// overflow. Without: bins of width 2^k on multiples of 2^k, with the smallest k (and at least the
// spacing of floats near the largest magnitude) for which all finite values fit in `bins` of them.
// When a value does not fit, k grows and neighbours join, so the counts are exactly those of the
// final bins. Infinities are underflow and overflow; NaNs are counted apart.
#include "analysis/statistics/stat_groups.hpp"
#include "support/text.hpp"

namespace chop::analysis::statistics::histogram {
namespace {

class Histogram : public Statistic {
 public:
  Histogram(std::size_t elements, const Args& args)
      : elements_(elements),
        abs_(args.flag("abs")),
        counts_(static_cast<std::size_t>(args.integer("bins"))),
        fixed_(args.has("min")) {
    if (fixed_) set_edges(args.real("min"), args.real("max"));
  }

  void update(const float* samples, std::int64_t count) override {
    in_blocks(
        samples, count, elements_, abs_, absolutes_, [this](const float* from, std::int64_t rows) {
          const std::span<const float> values{from, static_cast<std::size_t>(rows) * elements_};
          count_ += static_cast<std::int64_t>(values.size());
          if (fixed_) return add_fixed(values);
          make_room(values);
          add_dyadic(values);
        });
  }

  StatResult result() const override {
    StatResult result = {{"count", count_}, {"underflow", below_}, {"overflow", above_}};
    if (nan_ > 0) result["nan"] = nan_;
    std::size_t used = counts_.size();
    std::vector<float> edges = edges_;
    if (!fixed_) {
      used = any_ ? static_cast<std::size_t>(bin_of(most_) - first_ + 1) : 0;
      edges.clear();
      for (std::size_t i = 0; i <= used && any_; ++i) edges.push_back(edge(i));
    }
    const std::span<const std::int64_t> counts(counts_.data(), used);
    result["counts"] = Tensor::of<std::int64_t>({static_cast<std::int64_t>(counts.size())}, counts);
    result["edges"] =
        Tensor::of<float>({static_cast<std::int64_t>(edges.size())}, std::span<const float>(edges));
    return result;
  }

 private:
  /// Where bin `i` starts; limited to the range of floats.
  float edge(std::size_t i) const {
    constexpr double kMost = std::numeric_limits<float>::max();
    const double at = std::ldexp(static_cast<double>(first_ + static_cast<std::int64_t>(i)), k_);
    return static_cast<float>(std::clamp(at, -kMost, kMost));
  }

  void set_edges(double least, double most) {
    const auto bins = static_cast<double>(counts_.size());
    for (std::size_t i = 0; i <= counts_.size(); ++i)
      edges_.push_back(
          static_cast<float>(least + (most - least) * (static_cast<double>(i) / bins)));
    edges_.back() = static_cast<float>(most);
  }

  void add_fixed(std::span<const float> values) {
    const float least = edges_.front();
    const float most = edges_.back();
    const double scale = static_cast<double>(counts_.size()) /
                         (static_cast<double>(most) - static_cast<double>(least));
    for (const float value : values) {
      if (!(value >= least && value <= most)) {
        ++(value < least ? below_ : value > most ? above_ : nan_);
        continue;
      }
      const double at = (static_cast<double>(value) - static_cast<double>(least)) * scale;
      std::size_t bin = std::min(static_cast<std::size_t>(at), counts_.size() - 1);
      // Edges are rounded to floats, so values are compared with the rounded edges.
      while (bin > 0 && value < edges_[bin]) --bin;
      while (bin + 1 < counts_.size() && value >= edges_[bin + 1]) ++bin;
      ++counts_[bin];
    }
  }

  std::int64_t bin_of(float value) const { return bin_of(value, k_); }
  static std::int64_t bin_of(float value, int k) {
    return static_cast<std::int64_t>(std::floor(std::ldexp(static_cast<double>(value), -k)));
  }

  /// Widens the bins until all finite values fit; the old counts move to their new bins.
  void make_room(std::span<const float> values) {
    float least = any_ ? least_ : std::numeric_limits<float>::infinity();
    float most = any_ ? most_ : -std::numeric_limits<float>::infinity();
    for (const float value : values) {
      if (!std::isfinite(value)) continue;
      least = value < least ? value : least;
      most = value > most ? value : most;
    }
    if (least > most || (any_ && least == least_ && most == most_)) return;
    const float magnitude = std::max(std::fabs(least), std::fabs(most));
    int k = std::max(magnitude > 0 ? std::ilogb(magnitude) - 23 : kLeastWidth, kLeastWidth);
    const auto bins = static_cast<std::int64_t>(counts_.size());
    while (bin_of(most, k) - bin_of(least, k) >= bins) ++k;
    const std::int64_t first = bin_of(least, k);
    std::vector<std::int64_t> moved(counts_.size());
    for (std::size_t i = 0; i < counts_.size() && any_; ++i)
      if (counts_[i] > 0)
        moved[static_cast<std::size_t>(((first_ + static_cast<std::int64_t>(i)) >> (k - k_)) -
                                       first)] += counts_[i];
    counts_ = std::move(moved);
    least_ = least;
    most_ = most;
    k_ = k;
    first_ = first;
    any_ = true;
  }

  void add_dyadic(std::span<const float> values) {
    const double scale = std::ldexp(1.0, -k_);
    for (const float value : values) {
      if (!std::isfinite(value)) {
        ++(value < 0 ? below_ : value > 0 ? above_ : nan_);
        continue;
      }
      const auto bin = static_cast<std::int64_t>(std::floor(static_cast<double>(value) * scale));
      ++counts_[static_cast<std::size_t>(bin - first_)];
    }
  }

  static constexpr int kLeastWidth = -149;  ///< the smallest float is 2^-149

  std::size_t elements_;
  bool abs_;
  std::vector<std::int64_t> counts_;
  bool fixed_;
  std::vector<float> edges_;  ///< when they are fixed
  int k_ = 0;
  std::int64_t first_ = 0;  ///< counts_[0] is of the values from first_ 2^k_
  float least_ = 0;
  float most_ = 0;
  bool any_ = false;
  std::int64_t count_ = 0;
  std::int64_t below_ = 0;
  std::int64_t above_ = 0;
  std::int64_t nan_ = 0;
  std::vector<float> absolutes_;
};

Result<std::unique_ptr<Statistic>> make(const Args& args, const Shape& sample) {
  if (args.has("min") != args.has("max"))
    return args.wrong(args.has("min") ? "min" : "max", "only one end of the range is given",
                      "give both min and max, or neither");
  if (args.has("min") &&
      !(static_cast<float>(args.real("min")) < static_cast<float>(args.real("max"))))
    return args.wrong(
        "max",
        cat("max = ", exact(args.real("max")), " is not above min = ", exact(args.real("min"))),
        "give a min below max");
  return std::unique_ptr<Statistic>(
      std::make_unique<Histogram>(static_cast<std::size_t>(numel(sample)), args));
}

}  // namespace

StatisticDef define() {
  constexpr double kMost = 3.4e38;
  return {.name = "histogram",
          .doc = "how many values fall in each interval",
          .args = {device_arg(),
                   abs_arg(),
                   {.name = "bins",
                    .initial = 256,
                    .doc = "how many intervals, at most; without min and max at least half as many "
                           "are used once values differ enough",
                    .bounds = {.least = 2, .most = 1048576}},
                   {.name = "min",
                    .doc = "where the first interval starts; absent: found out",
                    .kind = FieldKind::Real,
                    .bounds = {.least = -kMost, .most = kMost}},
                   {.name = "max",
                    .doc = "where the last interval ends; absent: found out",
                    .kind = FieldKind::Real,
                    .bounds = {.least = -kMost, .most = kMost}}},
          .make = make};
}

}  // namespace chop::analysis::statistics::histogram
