// Functions of one code: functions that wait, and the format behind them, as an integer node.
#pragma once

#include "formats/quantiser.hpp"
#include "hardware/lowering/lowering_def.hpp"

namespace chop::hardware {

/// y = q(f(x)) for every code x, as float32 numbers define it: values are rounded to float32
/// behind every pending function, and the format is its own definition.
class CodeFunction {
 public:
  /// Values are multiples of `step`, and given as whole numbers, where it is not 1.
  CodeFunction(const IntegerType& from, const std::vector<PendingFunction>& pending,
               const formats::Quantiser& format, double step = 1);

  double step() const { return step_; }

  /// Elements of one channel share a function.
  std::size_t channels() const { return channels_; }
  /// The codes that a channel can be given.
  const Interval& domain(std::size_t channel) const { return domains_[channel]; }
  double operator()(std::size_t channel, std::int64_t code) const;
  /// Whether float32 arithmetic in another order could give another number.
  bool is_uncertain(std::size_t channel, std::int64_t code) const;
  /// Where the number changes, if it never falls (or never rises): the first code of every step but
  /// the first. Nothing when there are more than `most`.
  std::optional<std::vector<std::int64_t>> steps(std::size_t channel, std::size_t most) const;

 private:
  Approximate real(std::size_t channel, std::int64_t code) const;
  double quantised(double value, std::size_t channel) const;

  const std::vector<PendingFunction>& pending_;
  const formats::Quantiser& format_;
  double step_;
  int frac_;
  std::size_t elements_;
  std::size_t channels_;
  std::vector<Interval> domains_;
  mutable std::vector<float> x_;  ///< a sample of which the format looks at one element
  mutable std::vector<float> y_;
};

/// The numbers of a format, where they are the same for all elements and known.
std::optional<formats::Grid> grid_of(const formats::Quantiser& format);

/// The node that computes it: a multiplication and addition per channel, a table, or a staircase,
/// whichever is exact and, by a rough count of LUTs, smallest. The grid is that of the format, if
/// it has one.
Result<Traced> realise(LoweringCall& call, const CodeFunction& function,
                       const std::optional<formats::Grid>& grid);

}  // namespace chop::hardware
