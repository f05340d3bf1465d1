// A circuit in simulators, beside the float run: what `simulate`, `certify` and `hardware` report.
#pragma once

#include "cli/circuits/circuit_folder.hpp"
#include "cli/session.hpp"
#include "report/table.hpp"

namespace chop::cli {

struct SimulationOptions {
  std::string simulator = "both";  ///< "verilator", "icarus"
  std::size_t random = 1000;       ///< samples, beside extreme ones and those of the data
};

/// The settings `simulator` and `random`, and what they say.
std::vector<SettingDef> simulation_settings();
SimulationOptions simulation_options(const Settings& settings);
/// The simulators that they need.
std::vector<std::string> simulators_of(const SimulationOptions& options);

struct CircuitSimulation {
  Table table;  ///< a row for every comparison
  Tree result = {};
  std::int64_t differing = 0;  ///< outputs of simulators that are not those of the integers
};

/// Writes the circuit to `folder`, which `held` holds, and runs it on extreme and random samples
/// and on the test rows of `data`, where there are any; those go through the float run as well. A
/// stream that does not keep the latency or interval that was announced is an error.
Result<CircuitSimulation> simulate_circuit(const Circuit& circuit, const Dataset* data,
                                           const SimulationOptions& options,
                                           const CircuitFolder& held,
                                           const std::filesystem::path& folder);

}  // namespace chop::cli
