// The emitted files in the simulators that Debian has.
#pragma once

#include <filesystem>

#include "hardware/integer/integer_graph.hpp"
#include "hardware/verilog/verilog.hpp"

namespace chop::hardware {

/// Samples as the ports of the top take them, and what must come out.
struct Vectors {
  std::vector<Codes> inputs = {};
  std::vector<Codes> outputs = {};
};

/// Random codes within the ranges of the inputs, and before them all least, all greatest, and every
/// element alone at its bounds; outputs by the integer interpreter.
Vectors make_vectors(const IntegerGraph& graph, std::size_t random, std::uint64_t seed);

struct Simulated {
  std::int64_t samples = 0;
  std::int64_t values = 0;     ///< outputs that were compared
  std::int64_t differing = 0;  ///< of them
  double build_seconds = 0;
  double run_seconds = 0;
};

/// The text of every file of a circuit by its name below the folder: rtl/, sim/, test/.
std::vector<SourceFile> circuit_files(const Netlist& netlist, const Vectors& vectors);

/// Builds Verilator's model of a top module around sim/main.cpp; returns the seconds it took.
Result<double> verilate(const std::string& top, std::span<const std::string> sources,
                        const std::filesystem::path& folder);
/// Runs it; the numbers that it prints.
struct ModelOutput {
  std::vector<std::int64_t> numbers = {};
  double seconds = 0;
};
Result<ModelOutput> run_model(std::vector<std::string> arguments,
                              const std::filesystem::path& folder);
/// The same with Icarus, of the testbench test/BENCH.sv, which ends with "PASS n" or "FAIL d of n".
Result<double> build_bench(const std::string& bench, std::span<const std::string> sources,
                           const std::filesystem::path& folder);
struct BenchOutput {
  std::int64_t differing = 0;
  double seconds = 0;
};
Result<BenchOutput> run_bench(const std::vector<std::string>& arguments, std::int64_t count,
                              const std::filesystem::path& folder);

/// Builds Verilator's model of rtl/ in `folder`, which circuit_files() were written to, and
/// compares every output of every sample.
Result<Simulated> run_verilator(const Netlist& netlist, const Vectors& vectors,
                                const std::filesystem::path& folder);
/// The self-checking testbench of test/ in Icarus.
Result<Simulated> run_icarus(const Netlist& netlist, const Vectors& vectors,
                             const std::filesystem::path& folder);

}  // namespace chop::hardware
