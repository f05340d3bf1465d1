// Ranges of sums, from their coefficients: x · 4 - x is 3 · x, which intervals alone do not see.
#pragma once

#include "hardware/netlist/netlist.hpp"

namespace chop::hardware {

/// Follows the wires of a module in order. A wire that is not linear is a root; any other is a sum
/// of roots with exact coefficients, whose range is that of the sum.
class AffineRanges {
 public:
  /// The range of the next wire, given what intervals say of it: that, or less.
  Interval add(const NetlistCell& cell, const Interval& interval);
  /// What later wires may rely on of the wire just added, where its cell says another range.
  void declare(const Interval& range) { ranges_.back() = range; }

 private:
  struct Sum {
    std::vector<std::pair<WireId, std::int64_t>> terms = {};  ///< root and coefficient, by root
    std::int64_t constant = 0;
    bool known = true;  ///< false: its coefficients are too large, so that it is a root
  };
  Sum combined(const Sum& a, std::int64_t by_a, const Sum& b, std::int64_t by_b) const;
  Sum sum_of(const NetlistCell& cell) const;

  std::vector<Sum> sums_;
  std::vector<Interval> ranges_;
};

}  // namespace chop::hardware
