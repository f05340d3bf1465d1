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
  int depth = 0;  ///< most cells between registers, inputs and outputs
  std::map<std::string, std::int64_t> cells = {};
  std::string version = {};  ///< of Yosys
  std::string command = {};  ///< what it was told
  double seconds = 0;
};

/// Of the files of rtl/ in `folder`. `abc9` maps with ABC's newer command, which is what Yosys does
/// for ECP5 in any case.
Result<Synthesised> synthesise(const Netlist& netlist, const std::filesystem::path& folder,
                               const SynthesisTarget& target, bool abc9 = false);

/// The cells that the table of Yosys' `stat` lists.
std::map<std::string, std::int64_t> read_cell_counts(std::string_view text);
/// The length that Yosys' `ltp` prints; 0 where it prints none.
int read_path_length(std::string_view text);

}  // namespace chop::hardware
