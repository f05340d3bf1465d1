#include "hardware/verilog/projects.hpp"

#include "support/text.hpp"

namespace chop::hardware {
namespace {

/// Where both scripts begin: in the folder of the circuit, wherever they are started.
constexpr std::string_view kEnter =
    "cd [file dirname [file dirname [file normalize [info script]]]]\n";

/// Timing that Vivado and Quartus read alike.
std::string constraints(const ProjectOptions& options) {
  const std::string period = cat(options.period);
  if (options.clock.empty())
    return cat("# no registers: every path from an input to an output\nset_max_delay ", period,
               " -from [get_ports *] -to [get_ports *]\n");
  return cat("create_clock -name ", options.clock, " -period ", period, " [get_ports ",
             options.clock, "]\n");
}

std::string vivado(const ProjectOptions& options) {
  std::string text =
      cat("# vivado -mode batch -source project/vivado.tcl\n# Synthesis, placement and routing of ",
          options.top, "; reports are left in project/.\n", kEnter);
  if (options.part.empty())
    text +=
        "if {[llength $argv] < 1} { error \"say the part: -tclargs PART\" }\n"
        "set part [lindex $argv 0]\n";
  else
    text += cat("set part ", options.part,
                "\nif {[llength $argv] > 0} { set part [lindex $argv 0] }\n");
  text += "create_project -in_memory -part $part\n";
  for (const std::string& source : options.sources) text += cat("read_verilog -sv ", source, "\n");
  return text + cat("read_xdc -mode out_of_context project/vivado.xdc\nsynth_design -top ",
                    options.top,
                    " -part $part -mode out_of_context\nopt_design\nplace_design\n"
                    "phys_opt_design\nroute_design\n"
                    "report_utilization -hierarchical -file project/vivado_utilization.txt\n"
                    "report_timing_summary -file project/vivado_timing.txt\n");
}

std::string quartus(const ProjectOptions& options) {
  std::string text = cat("# quartus_sh -t project/quartus.tcl [DEVICE]\n", kEnter,
                         "package require ::quartus::project\npackage require ::quartus::flow\n"
                         "set device 10CX220YF780I5G\n"
                         "if {[llength $argv] > 0} { set device [lindex $argv 0] }\n"
                         "project_new -overwrite ",
                         options.top, "\nset_global_assignment -name DEVICE $device\n",
                         "set_global_assignment -name TOP_LEVEL_ENTITY ", options.top, "\n");
  for (const std::string& source : options.sources)
    text += cat("set_global_assignment -name SYSTEMVERILOG_FILE ", source, "\n");
  return text +
         "set_global_assignment -name SDC_FILE project/quartus.sdc\n"
         "set_instance_assignment -name VIRTUAL_PIN ON -to *\n"
         "execute_flow -compile\nproject_close\n";
}

}  // namespace

std::vector<SourceFile> project_files(const ProjectOptions& options) {
  return {{"project/vivado.tcl", vivado(options)},
          {"project/vivado.xdc", constraints(options)},
          {"project/quartus.tcl", quartus(options)},
          {"project/quartus.sdc", constraints(options)}};
}

}  // namespace chop::hardware
