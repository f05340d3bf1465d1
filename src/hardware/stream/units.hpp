// SystemVerilog of a dataflow.
#pragma once

#include "hardware/stream/dataflow.hpp"
#include "hardware/verilog/place.hpp"
#include "hardware/verilog/verilog.hpp"

namespace chop::hardware {

/// A file for each module of the cores, for each unit, and for the top, whose ports are those of
/// AXI4-Stream: aclk, aresetn, s_axis_t{data,valid,ready}, m_axis_t{data,valid,ready}. Words are
/// filled up to whole bytes.
std::vector<SourceFile> to_verilog(const Dataflow& dataflow);

/// The ports of that top.
PlacingJob placing_of(const Dataflow& dataflow, SynthesisJob synthesis);

/// Bits of a port that carries a word.
int port_width(const Word& word);

}  // namespace chop::hardware
