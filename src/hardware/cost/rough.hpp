// How large a circuit would be, from its integer graph alone: before anything is built.
#pragma once

#include "hardware/integer/integer_graph.hpp"

namespace chop::hardware {

/// LUTs of the fully parallel circuit, to within a factor of about two: a digit of a weight is an
/// adder as wide as its input, at every position of its window; any other element is twice its
/// width.
double rough_luts(const IntegerGraph& graph);

/// Twice as many as the largest FPGAs have: circuits are not built that need more.
constexpr double kMostLuts = 10e6;

/// An error that says the size and what would be smaller, where it is more than that.
Status check_size(const IntegerGraph& graph);

}  // namespace chop::hardware
