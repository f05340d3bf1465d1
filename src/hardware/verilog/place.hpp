// How fast a circuit runs on a real FPGA: place and route by nextpnr, of what Yosys made.
#pragma once

#include "hardware/verilog/synthesise.hpp"

namespace chop::hardware {

/// A port of a circuit's top module, clocks apart.
struct TopPort {
  std::string name;
  int width = 1;
  bool is_output = false;
};

struct PlacingJob {
  SynthesisJob synthesis;
  std::string clock = {};  ///< empty: the circuit has no registers
  std::vector<TopPort> ports = {};
};
PlacingJob placing_of(const Netlist& netlist, SynthesisJob synthesis);

/// A module `placed` with the pins clk, in and out around the circuit: FPGAs have fewer pins than
/// circuits have ports. Inputs come from a shift register, every output is added (exclusive or) to
/// one that is shifted out; so paths begin and end in registers, and nothing is optimised away.
std::string placing_harness(const PlacingJob& job);

struct Placed {
  std::string device;      ///< such as "hx8k"
  double frequency = 0;    ///< MHz at which the slowest path still works
  std::int64_t cells = 0;  ///< logic cells taken, those of the harness among them
  std::int64_t available = 0;
  std::int64_t harness_registers = 0;
  std::string version = {};  ///< of nextpnr
  std::string command = {};
  double seconds = 0;
};

/// Of files in `folder`, for the part, or the device that stands for its family. What was made is
/// left in synth/. A family that nextpnr does not know, a missing nextpnr and a circuit that does
/// not fit are errors.
Result<Placed> place(const PlacingJob& job, const std::filesystem::path& folder,
                     const SynthesisTarget& target, std::string_view part);

/// What a report of nextpnr (--report) says of frequency and cells.
Status read_placing_report(std::string_view json, std::string_view cell, Placed& placed);

}  // namespace chop::hardware
