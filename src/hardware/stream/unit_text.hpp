// What the texts of units have in common.
#pragma once

#include "hardware/stream/dataflow.hpp"

namespace chop::hardware {

/// Comments and ports of a unit with one input and one output: clk, rst_n, in_*, out_*.
std::string unit_head(const Unit& unit, const Word& in, const Word& out);
/// Bits [low, low + width) of something that has `all`.
std::string part_of(const std::string& name, int low, int width, int all);
/// A whole number as plain bits.
std::string plain_literal(std::int64_t value, int bits);

std::string window_text(const Dataflow& dataflow, const Unit& unit);
std::string mac_text(const Dataflow& dataflow, const Unit& unit);

}  // namespace chop::hardware
