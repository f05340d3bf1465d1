// Parzen estimator (kernel density estimator) over a search space: a mixture of one kernel around
// each observed point and a uniform prior over the whole space. (Parzen 1962; as used by TPE:
// Bergstra et al. 2011, Watanabe arXiv 2304.11127.)
//
// With observations at 0.2 and 0.3 of one axis and the default weights the density at x is
//
//   ( K(x; 0.2) + K(x; 0.3) + 1 ) / 3
//
// where K is a normal density truncated to [0, 1]. A categorical parameter has Aitchison and
// Aitken's kernel instead: most of the probability at the observed choice, the rest shared by the
// others.
#pragma once

#include "search/space/space.hpp"

namespace chop::search {

/// Draws the numbers of a stream one after the other.
class Dice {
 public:
  explicit Dice(const Stream& stream) : stream_(stream) {}
  double uniform() { return stream_.uniform(next_++); }
  std::uint64_t below(std::uint64_t bound) { return stream_.below(next_++, bound); }

 private:
  Stream stream_;
  std::uint64_t next_ = 0;
};

/// A parameter as models and genetic operators work with it: positions on a line from 0 to 1
/// (numbers, and choices that are numbers, in their order), or choices without an order.
class Axis {
 public:
  explicit Axis(const Distribution& distribution);

  bool is_line() const { return is_line_; }
  /// How many values there are; 0: infinitely many.
  std::int64_t count() const { return count_; }
  /// The position of a value; NaN stays NaN.
  double position_of(double value) const;
  /// The value whose position is nearest to `position` in [0, 1]; of unordered choices, the choice
  /// itself.
  double value_near(double position) const;

 private:
  const Distribution* distribution_;
  bool is_line_ = true;
  std::int64_t count_ = 0;
  std::vector<double> order_ = {};   ///< of choices that are numbers: position by choice
  std::vector<double> sorted_ = {};  ///< and choice by rank
  double low_ = 0;                   ///< of the logarithm, or of the number
  double width_ = 1;
};

std::vector<Axis> axes_of(const Space& space);

struct ParzenOptions {
  bool joint = true;          ///< kernels over all parameters at once, or one parameter at a time
  double prior_weight = 1;    ///< of the uniform prior; all others have `weights` with mean 1
  double least_width = 0.02;  ///< of a kernel, as a share of the range
};

class Parzen {
 public:
  /// `centres` are rows of positions, one per axis, NaN where a parameter was not active; such a
  /// kernel is uniform over that parameter.
  Parzen(std::span<const Axis> axes, std::span<const double* const> centres,
         std::span<const double> weights, const ParzenOptions& options);

  /// Of a whole point given by its positions.
  double log_density(std::span<const double> positions) const;
  /// Of one parameter, whatever the others.
  double log_density(std::size_t axis, double position) const;

  /// The index of a kernel, drawn by weight; the last index is the uniform prior.
  std::size_t draw_kernel(Dice& dice) const;
  /// A position on an axis, drawn from a kernel.
  double draw_position(std::size_t kernel, std::size_t axis, Dice& dice) const;

 private:
  void set_line(std::size_t axis, std::span<const double* const> centres, double shrink,
                double least_width);
  void set_choices(std::size_t axis, std::span<const double* const> centres, double shrink);
  void add(std::size_t axis, double position) const;
  double uniform_log(std::size_t axis) const;

  std::span<const Axis> axes_;
  std::size_t kernels_;
  std::vector<double> cumulative_;  ///< sums of weights, the uniform prior's last
  std::vector<float> log_weights_;  ///< the uniform prior's last
  std::vector<double> width_;       ///< by axis; of choices the probability of another one
  // Of each axis and kernel; single precision is enough to rank candidates.
  std::vector<float> centre_;     ///< NaN: uniform over the axis
  std::vector<float> steepness_;  ///< 1 / (2 width²); of choices the log probability of another one
  std::vector<float> peak_;       ///< the log density at the centre
  mutable std::vector<float> logs_;
};

}  // namespace chop::search
