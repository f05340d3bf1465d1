// Products of narrow inputs by constants, as functions that cost nothing beside an adder.
//
// The LUT in front of a bit of a carry chain has six inputs: one for the sum so far, five for
// whatever is added. So w · x, for an x of at most five bits, needs no adders of its own, nor do
// several such products whose inputs have five bits together; wider inputs are cut into parts.
//   y = 23 x0 - 7 x1 + 11     x0 and x1 of four bits
//   s = -96 - t0,  t0 = table of x0: -23 x0 - 1
//   y = s - t1,    t1 = table of x1: 7 x1 - 105 - 1
// What is taken away is never positive, so that its upper bits are known and need no LUTs, and
// taking away keeps the order of the operands, which synthesisers may turn around in sums.
#pragma once

#include "hardware/netlist/builder.hpp"

namespace chop::hardware {

/// A part of an input, times a constant.
struct NarrowTerm {
  WireId wire = 0;
  std::int64_t factor = 0;
  int bits = 0;
};

/// Terms whose inputs have few bits together: their sum is a function of those bits.
struct NarrowGroup {
  std::vector<NarrowTerm> terms = {};
  int bits = 0;
  std::int64_t least = 0;  ///< of the sum
  std::int64_t most = 0;
};

/// factor · x as terms of at most `bits` bits each, which are cut out of x.
std::vector<NarrowTerm> narrow_terms(ModuleBuilder& builder, WireId x, std::int64_t factor,
                                     int bits);
/// How many there are.
int narrow_count(const Interval& x, int bits);

/// Terms in groups of at most `bits` bits, those with small sums first.
std::vector<NarrowGroup> grouped(const ModuleBuilder& builder, std::vector<NarrowTerm> terms,
                                 int bits);

/// sign · (the sum of the group + offset), as a table.
WireId group_table(ModuleBuilder& builder, const NarrowGroup& group, int sign, std::int64_t offset);
/// The greatest power of two that divides all differences of the group's sums.
std::int64_t step_of(const NarrowGroup& group);

}  // namespace chop::hardware
