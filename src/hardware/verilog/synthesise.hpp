// What a circuit costs, by Yosys.
#pragma once

#include <filesystem>

#include "hardware/netlist/netlist.hpp"
#include "hardware/verilog/target.hpp"

namespace chop::hardware {

/// Cells of the flat netlist, by the kinds of the target.
struct Synthesised {
  std::int64_t luts = 0;  ///< with inverters, and those that carry cells occupy where they do
  std::int64_t registers = 0;
  std::int64_t carries = 0;
  std::int64_t muxes = 0;  ///< that join LUTs
  std::int64_t dsps = 0;
  std::int64_t memories = 0;
  std::int64_t route_throughs = 0;  ///< LUT sites of UltraScale+ that only feed a carry chain
  int depth = 0;                    ///< most cells between registers, inputs and outputs
  std::map<std::string, std::int64_t> cells = {};
  std::string version = {};  ///< of Yosys
  std::string command = {};  ///< what it was told
  double seconds = 0;
};

struct SynthesisJob {
  std::string top;                        ///< module
  std::vector<std::string> sources = {};  ///< below the folder
  bool is_folded = false;                 ///< with DSPs and memories
  bool abc9 = false;  ///< maps with ABC's newer command, which Yosys does for ECP5 in any case
};
/// Of a netlist with plain ports.
SynthesisJob synthesis_of(const Netlist& netlist, bool abc9 = false);

/// Of files in `folder`; what was made is left in synth/. Where it is not folded, memories are an
/// error.
Result<Synthesised> synthesise(const SynthesisJob& job, const std::filesystem::path& folder,
                               const SynthesisTarget& target);

/// The command of Yosys that maps to the target.
std::string synthesis_command(const SynthesisJob& job, const SynthesisTarget& target);
/// Reads the files and runs `commands` behind them.
Status run_yosys(const SynthesisJob& job, const std::string& commands,
                 const std::filesystem::path& folder);

/// The cells of every module by itself, each synthesised without its surroundings: they do not add
/// up to those of the whole, across whose modules Yosys optimises.
Result<std::map<std::string, Synthesised>> synthesise_modules(const SynthesisJob& job,
                                                              const std::filesystem::path& folder,
                                                              const SynthesisTarget& target);

/// S pins of CARRY4 that neither a constant nor a LUT drives, in what Yosys writes as BLIF.
std::int64_t count_route_throughs(std::string_view blif);
/// The cells of every module that Yosys' `stat` lists.
std::map<std::string, std::map<std::string, std::int64_t>> read_module_counts(
    std::string_view text);
/// The cells that the table of Yosys' `stat` lists.
std::map<std::string, std::int64_t> read_cell_counts(std::string_view text);
/// The length that Yosys' `ltp` prints; 0 where it prints none.
int read_path_length(std::string_view text);

}  // namespace chop::hardware
