// What a circuit costs, by Yosys.
#pragma once

#include <filesystem>

#include "hardware/netlist/netlist.hpp"

namespace chop::hardware {

/// Cells of the flat netlist for UltraScale+ after `synth_xilinx -family xcup -flatten -nodsp
/// -noiopad -noclkbuf -nobram -nolutram`.
struct Synthesised {
  std::int64_t luts = 0;  ///< LUT1 to LUT6, and inverters
  std::int64_t registers = 0;
  std::int64_t carries = 0;  ///< CARRY4
  std::int64_t muxes = 0;    ///< MUXF7 to MUXF9
  std::map<std::string, std::int64_t> cells = {};
  std::string version = {};  ///< of Yosys
  std::string command = {};  ///< what it was told
  double seconds = 0;
};

/// Of the files of rtl/ in `folder`. `abc9` maps with ABC's newer command.
Result<Synthesised> synthesise(const Netlist& netlist, const std::filesystem::path& folder,
                               bool abc9 = false);

/// The cells that the table of Yosys' `stat` lists.
std::map<std::string, std::int64_t> read_cell_counts(std::string_view text);

}  // namespace chop::hardware
