// Ranges of sums, from their coefficients: x · 4 - x is 3 · x, which intervals alone do not see.
// Tables that are linear count as products, and a number that was cut in two is whole again where
// its parts are put together.
#pragma once

#include "hardware/netlist/netlist.hpp"

namespace chop::hardware {

/// Follows the wires of a module in order. A wire that is not linear is a root; any other is a sum
/// of roots with exact coefficients, whose range is that of the sum.
class AffineRanges {
 public:
  /// The range of the next wire of a module, whose wires before it are there, given what intervals
  /// say of it: that, or less.
  Interval add(const Module& module, const NetlistCell& cell, const Interval& interval);
  /// What later wires may rely on of the wire just added, where its cell says another range.
  void declare(const Interval& range) { ranges_.back() = range; }

 private:
  struct Sum {
    std::vector<std::pair<WireId, std::int64_t>> terms = {};  ///< root and coefficient, by root
    std::int64_t constant = 0;
    bool known = true;  ///< false: its coefficients are too large, so that it is a root
  };
  Sum combined(const Sum& a, std::int64_t by_a, const Sum& b, std::int64_t by_b) const;
  Sum sum_of(const Module& module, const NetlistCell& cell);
  Sum table_sum(const Module& module, const NetlistCell& cell) const;
  Sum slice_sum(const NetlistCell& cell) const;
  Sum high_sum(const NetlistCell& cell);

  std::vector<Sum> sums_;
  std::vector<Interval> ranges_;
  /// Of a sum and how many of its bits are left away: the first wire that is the rest.
  std::map<std::tuple<std::vector<std::pair<WireId, std::int64_t>>, std::int64_t, int>, WireId>
      high_parts_;
};

}  // namespace chop::hardware
