// Scripts that build a circuit with the tools of vendors, which are not run here.
#pragma once

#include "hardware/verilog/verilog.hpp"

namespace chop::hardware {

struct ProjectOptions {
  std::string top;                        ///< module
  std::vector<std::string> sources = {};  ///< below the folder of the circuit
  std::string clock = {};                 ///< port; empty: combinational
  std::string part = {};                  ///< of Xilinx; empty: the script asks for one
  double period = 20;                     ///< nanoseconds
};

/// project/vivado.tcl with project/vivado.xdc, project/quartus.tcl with project/quartus.sdc.
std::vector<SourceFile> project_files(const ProjectOptions& options);

}  // namespace chop::hardware
