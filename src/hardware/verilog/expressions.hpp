// A cell as an expression of SystemVerilog.
#pragma once

#include "hardware/netlist/netlist.hpp"

namespace chop::hardware {

/// "logic signed [7:0]"; one bit without sign is "logic".
std::string declared_type(const Interval& range);
/// A literal of that width: 8'd3, -8'sd3.
std::string literal(std::int64_t value, const Interval& range);
/// The name of a wire, or its value where it is a constant.
std::string reference(const Module& module, WireId wire);
/// Bit 0 of a wire: x_3[0], x_3 where that is all there is, or 1'b1 of a constant.
std::string lowest_bit(const Module& module, WireId wire);
/// What a wire is assigned; none for inputs, constants, registers, tables and results of instances.
std::optional<std::string> expression(const Module& module, const NetlistCell& cell);

}  // namespace chop::hardware
