// From an integer graph to a netlist, fully parallel: a sample every cycle.
#pragma once

#include "config/field.hpp"
#include "hardware/adders/adder_graph.hpp"
#include "hardware/integer/integer_graph.hpp"

namespace chop::hardware {

struct NetlistOptions {
  AdderOptions adders = {};
  /// Neurons of at most so many input bits become tables where those take fewer LUTs than adders
  /// (hardware/lowering/neuron_tables.hpp); 0: none.
  int table_bits = 12;
  /// Behind every node that computes, or behind the rounding and clamping that follows it, where
  /// fewer bits are left; without them all is combinational.
  bool registers = true;
  /// Instead: registers wherever a path would have more levels of logic than this (see
  /// levels_of()), between layers where that is enough, and behind the outputs. 0: not asked for.
  int logic_depth = 0;
  /// Instead: so many registers from inputs to outputs, placed with the least levels of logic
  /// between them for which they suffice. 0: not asked for.
  int stages = 0;
};

/// What people may choose of these: adders, depth, table_bits, combinational.
std::vector<Field> netlist_fields();
/// Those choices; a depth of 0 is none.
NetlistOptions netlist_options(std::string_view adders, std::int64_t depth, std::int64_t table_bits,
                               bool combinational);

/// A name as hardware languages take it: letters, digits and _, and no reserved word.
std::string plain_name(std::string_view text);

/// The name of the module of every node; "" where it has none.
std::vector<std::string> module_names(const IntegerGraph& graph);

/// A module for every node that computes, and a top that connects them; values that come earlier
/// than others of the same call are delayed. Every matrix is proven equal to its adders on the way.
/// What no FPGA could hold is an error at once (cost/rough.hpp).
Result<Netlist> to_netlist(const IntegerGraph& graph, const NetlistOptions& options = {});

}  // namespace chop::hardware
