// What a circuit will cost, from its netlist alone, in milliseconds.
//
// Calibrated on Yosys for UltraScale+ (hardware/verilog/synthesise.hpp has its command): the parts
// of parts.hpp, each times a factor. benchmarks/hardware_estimate.py measures the error.
#pragma once

#include "hardware/cost/parts.hpp"

namespace chop::hardware {

struct ModuleEstimate {
  std::string name;
  std::int64_t uses = 0;  ///< instances in the whole circuit
  double luts = 0;        ///< of all of them
  std::int64_t registers = 0;
  std::int64_t carries = 0;
};

struct Estimate {
  std::int64_t luts = 0;
  std::int64_t registers = 0;
  std::int64_t carries = 0;  ///< CARRY4
  std::int64_t dsps = 0;
  int latency = 0;      ///< cycles
  int adder_depth = 0;  ///< between registers
  CostParts parts = {};
  std::vector<ModuleEstimate> modules = {};  ///< as in the netlist, without what is in others
};

/// Of a netlist that verifies.
Estimate estimate(const Netlist& netlist);

/// How far `luts` is from Yosys, in percent, over the designs of the calibration.
struct EstimateError {
  int designs;
  double median;
  double worst;
};
EstimateError estimate_error();
/// "LUTs within 4 % of Yosys (median of 65 designs, at worst 20 %)"
std::string error_text();

}  // namespace chop::hardware
