// Parzen estimators over a space: the density of points like those given, as a mixture of one
// kernel around each of them and an even one over the whole space.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "search/space/space.hpp"

namespace chop::search {

/// Numbers of a stream, one after the other.
class Dice {
 public:
  explicit Dice(const Stream& stream) : stream_(stream) {}
  double uniform() { return stream_.uniform(next_++); }
  std::uint64_t below(std::uint64_t bound) { return stream_.below(next_++, bound); }

 private:
  Stream stream_;
  std::uint64_t next_ = 0;
};

/// How a model sees a parameter: as places on a line from 0 to 1 (numbers, and choices that are
/// numbers, in their order), or as choices that have nothing to do with each other.
class Axis {
 public:
  explicit Axis(const Distribution& distribution);

  bool is_line() const { return is_line_; }
  /// How many values there are; 0: a continuum.
  std::int64_t count() const { return count_; }
  /// Where a value lies; NaN stays NaN.
  double place_of(double value) const;
  /// The value whose place is nearest to `place` of [0, 1]; of choices, the choice itself.
  double value_near(double place) const;

 private:
  const Distribution* distribution_;
  bool is_line_ = true;
  std::int64_t count_ = 0;
  std::vector<double> order_ = {};   ///< of choices that are numbers: place by choice
  std::vector<double> sorted_ = {};  ///< and choice by place
  double low_ = 0;                   ///< of the logarithm, or of the number
  double width_ = 1;
};

std::vector<Axis> axes_of(const Space& space);

struct ParzenOptions {
  bool joint = true;          ///< kernels over all parameters at once, or one parameter at a time
  double prior_weight = 1;    ///< of the even kernel; all others have `weights` with mean 1
  double least_width = 0.02;  ///< of a kernel, of the whole range
};

class Parzen {
 public:
  /// `centres` are rows of places, one per axis, NaN where a parameter was not active; such a
  /// kernel is even over that parameter.
  Parzen(std::span<const Axis> axes, std::span<const double* const> centres,
         std::span<const double> weights, const ParzenOptions& options);

  /// Of a whole point given by its places.
  double log_density(std::span<const double> places) const;
  /// Of one parameter, whatever the others.
  double log_density(std::size_t axis, double place) const;

  /// A kernel by its weight; the last number is that of the even one.
  std::size_t draw_kernel(Dice& dice) const;
  /// A place on an axis drawn from a kernel.
  double draw_place(std::size_t kernel, std::size_t axis, Dice& dice) const;

 private:
  void set_line(std::size_t axis, std::span<const double* const> centres, double shrink,
                double least_width);
  void set_choices(std::size_t axis, std::span<const double* const> centres, double shrink);
  void add(std::size_t axis, double place) const;
  double even_log(std::size_t axis) const;

  std::span<const Axis> axes_;
  std::size_t kernels_;
  std::vector<double> cumulative_;  ///< weights summed up, the even kernel's last
  std::vector<float> log_weights_;  ///< the even kernel's last
  std::vector<double> width_;       ///< by axis; of choices the probability of another one
  // Of each axis and kernel; single precision is enough to tell candidates apart.
  std::vector<float> centre_;     ///< NaN: even over the axis
  std::vector<float> steepness_;  ///< 1 / (2 width²); of choices the logarithm for another one
  std::vector<float> peak_;       ///< the logarithm at the centre
  mutable std::vector<float> logs_;
};

}  // namespace chop::search
