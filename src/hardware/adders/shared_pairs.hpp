// The search for common sums of two terms.
#pragma once

#include "hardware/adders/adder_graph.hpp"

namespace chop::hardware {

/// sign · variable · 2^shift
struct Term {
  std::uint32_t variable = 0;
  int shift = 0;
  int sign = 1;

  auto operator<=>(const Term&) const = default;
};

/// A sum of two variables: (a << shift_a) + sign · (b << shift_b), one of the shifts being 0.
struct PairSum {
  std::uint32_t a = 0;
  std::uint32_t b = 0;
  int shift_a = 0;
  int shift_b = 0;
  int sign = 1;
};

/// Sums of terms, where variables from `inputs` on are those of `pairs`, in order.
struct SharedSums {
  std::size_t inputs = 0;
  std::vector<PairSum> pairs = {};
  std::vector<std::vector<Term>> sums = {};
};

/// Shares pairs of terms until none occurs twice. `ranges` are those of the inputs; with a depth,
/// a pair is shared in an output only where that leaves it possible.
SharedSums share_pairs(std::vector<std::vector<Term>> sums, std::span<const Interval> ranges,
                       int depth);

}  // namespace chop::hardware
