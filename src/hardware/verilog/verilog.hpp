// SystemVerilog from a netlist: the subset that Yosys 0.23, Verilator 5.006 and Icarus 11 accept.
#pragma once

#include "hardware/netlist/netlist.hpp"

namespace chop::hardware {

struct SourceFile {
  std::string name;
  std::string text;
};

/// A file for each module of the netlist, the top last. Every operand is brought to the width of
/// the result before it is used, so that no rule about mixed signs or widths applies.
std::vector<SourceFile> to_verilog(const Netlist& netlist);

struct Testbench {
  std::string name;
  std::string text;
  std::string inputs;   ///< hexadecimal words for $readmemh: one line per sample
  std::string outputs;  ///< what must come out
};

/// A testbench that gives a sample every cycle, compares every output `latency` cycles later, and
/// ends with "PASS n" or with $fatal. Vectors are read from the folder given with +vectors=DIR; a
/// missing or short file is fatal.
Testbench to_testbench(const Netlist& netlist, std::span<const std::vector<std::int64_t>> inputs,
                       std::span<const std::vector<std::int64_t>> outputs);

/// The program that runs Verilator's model of the top on binary vectors (inputs.bin, outputs.bin:
/// int64 in the order of the ports), and prints how many values differ.
std::string to_verilator_main(const Netlist& netlist);

/// The files of a circuit by their names below its folder: rtl/, sim/, test/.
std::vector<SourceFile> circuit_files(std::vector<SourceFile> modules, std::string main,
                                      Testbench bench);

/// A text with every mark replaced by its value.
std::string filled(std::string_view form,
                   const std::vector<std::pair<std::string_view, std::string>>& values);
/// Appends as many bits of a code as its range needs, as '0' and '1', the lowest first.
void append_bits(std::int64_t code, const Interval& range, std::string& bits);
/// Such bits as digits, the lowest last.
std::string hexadecimal(std::string bits);

}  // namespace chop::hardware
