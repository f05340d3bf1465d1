// Testbenches of streams: words with pauses on both sides, every one compared, in order.
#pragma once

#include "hardware/stream/dataflow.hpp"
#include "hardware/verilog/simulate.hpp"

namespace chop::hardware {

/// A testbench for Icarus: +vectors=DIR, +stalls=1 for random pauses. Ends with "PASS n" or $fatal.
Testbench to_testbench(const Dataflow& dataflow, const Vectors& vectors);
/// The program around Verilator's model: inputs, outputs, and 1 for random pauses.
std::string to_verilator_main(const Dataflow& dataflow);
/// What that program reads: every word of every sample as numbers of 32 bits, the lowest first.
std::string binary_words(const Word& word, const std::vector<std::vector<std::size_t>>& tokens,
                         const std::vector<Codes>& samples);

/// The text of every file of a circuit by its name below the folder: rtl/, sim/, test/.
std::vector<SourceFile> circuit_files(const Dataflow& dataflow, const Vectors& vectors);

struct StreamSimulated {
  Simulated smooth = {};   ///< a word whenever the circuit takes one, and every word taken at once
  Simulated stalled = {};  ///< random pauses on both sides
  std::int64_t latency =
      0;  ///< of the smooth run: cycles from the first word in to the last of its sample out
  double interval = 0;  ///< likewise: from one sample to the next
};
Result<StreamSimulated> run_verilator(const Dataflow& dataflow, const Vectors& vectors,
                                      const std::filesystem::path& folder);
/// Smooth, then with pauses; the samples of both.
Result<Simulated> run_icarus(const Dataflow& dataflow, const Vectors& vectors,
                             const std::filesystem::path& folder);

}  // namespace chop::hardware
