// Which elements of samples are reduced together, as `dims` says.
//
// "all" makes one group of everything, "NA" one group per element of a sample, a list of axes
// one group per index of the other axes. Every group gets as many elements of each sample.
#pragma once

#include "analysis/statistics/statistic_def.hpp"

namespace chop::analysis {

class StatGroups {
 public:
  /// The error names `dims` when it has an axis that samples do not have, or one twice.
  static Result<StatGroups> make(const Args& args, const Shape& sample);

  std::size_t groups() const { return groups_; }
  std::size_t per_sample() const { return per_sample_; }  ///< elements of each group
  std::size_t elements() const { return groups_ * per_sample_; }
  bool is_all() const { return kind_ == Kind::All; }
  /// What `count` is after so many samples: the size of what was reduced.
  std::int64_t count(std::int64_t samples) const {
    return samples * static_cast<std::int64_t>(per_sample_);
  }

  /// The offset of element `r` of group `g` in a sample.
  std::size_t offset(std::size_t g, std::size_t r) const {
    return order_.empty() ? g * per_sample_ + r : order_[g * per_sample_ + r];
  }

  /// Passes on the elements, sample after sample: whole groups as span(g, values), or, where groups
  /// are many and small, one element of every group as lanes(values).
  template <class Span, class Lanes>
  void visit(const float* samples, std::int64_t count, std::vector<float>& scratch, Span&& span,
             Lanes&& lanes) const;

  /// One number per group as metadata has it: a number when there is one, else a tensor.
  StatValue value(std::span<const double> per_group) const;

 private:
  enum class Kind : std::uint8_t { All, None, Some };

  Kind kind_ = Kind::All;
  std::size_t groups_ = 1;
  std::size_t per_sample_ = 1;
  Shape shape_;                       ///< of results: the axes that are kept
  std::vector<std::uint32_t> order_;  ///< [group][element] -> offset; empty: already in this order
};

template <class Span, class Lanes>
void StatGroups::visit(const float* samples, std::int64_t count, std::vector<float>& scratch,
                       Span&& span, Lanes&& lanes) const {
  constexpr std::size_t kWorthASpan = 16;
  const bool spans = groups_ == 1 || per_sample_ >= kWorthASpan;
  scratch.resize(spans ? per_sample_ : groups_);
  for (std::int64_t i = 0; i < count; ++i) {
    const float* sample = samples + static_cast<std::size_t>(i) * elements();
    if (spans) {
      for (std::size_t g = 0; g < groups_; ++g) {
        const float* from = sample + g * per_sample_;
        if (!order_.empty()) {
          for (std::size_t r = 0; r < per_sample_; ++r)
            scratch[r] = sample[order_[g * per_sample_ + r]];
          from = scratch.data();
        }
        span(g, std::span<const float>(from, per_sample_));
      }
    } else if (order_.empty() && per_sample_ == 1) {
      lanes(std::span<const float>(sample, groups_));
    } else {
      for (std::size_t r = 0; r < per_sample_; ++r) {
        for (std::size_t g = 0; g < groups_; ++g) scratch[g] = sample[offset(g, r)];
        lanes(std::span<const float>(scratch));
      }
    }
  }
}

/// Passes `samples` on, as they are or as absolute values, in blocks that fit the cache.
template <class Take>
void in_blocks(const float* samples, std::int64_t count, std::size_t elements, bool abs,
               std::vector<float>& scratch, Take&& take) {
  if (!abs) return take(samples, count);
  const std::size_t rows = std::max<std::size_t>(1, 8192 / std::max<std::size_t>(1, elements));
  for (std::int64_t first = 0; first < count;) {
    const std::int64_t now = std::min(static_cast<std::int64_t>(rows), count - first);
    const float* from = samples + static_cast<std::size_t>(first) * elements;
    scratch.resize(static_cast<std::size_t>(now) * elements);
    for (std::size_t i = 0; i < scratch.size(); ++i) scratch[i] = from[i] < 0 ? -from[i] : from[i];
    take(scratch.data(), now);
    first += now;
  }
}

/// The lower and the upper end of a range.
using Ends = std::array<double, 2>;

/// min, max and range of every group, whose ends are ends_of(g); not available where nothing is
/// known yet.
template <class EndsOf>
StatResult range_result(const StatGroups& groups, bool known, EndsOf&& ends_of) {
  if (!known)
    return {{"min", not_available()}, {"max", not_available()}, {"range", not_available()}};
  std::array<std::vector<double>, 3> found;
  for (std::size_t g = 0; g < groups.groups(); ++g) {
    const Ends ends = ends_of(g);
    found[0].push_back(ends[0]);
    found[1].push_back(ends[1]);
    found[2].push_back(ends[1] - ends[0]);
  }
  return {{"min", groups.value(found[0])},
          {"max", groups.value(found[1])},
          {"range", groups.value(found[2])}};
}

/// Makes a statistic over groups from its arguments, for StatisticDef::make.
template <class Kind>
Result<std::unique_ptr<Statistic>> make_grouped(const Args& args, const Shape& sample) {
  CH_TRY(StatGroups groups, StatGroups::make(args, sample));
  return std::unique_ptr<Statistic>(std::make_unique<Kind>(std::move(groups), args));
}

}  // namespace chop::analysis
