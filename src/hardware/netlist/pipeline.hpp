// Registers inside a module, so that no path between two of them has more than so much logic.
#pragma once

#include "hardware/netlist/netlist.hpp"

namespace chop::hardware {

/// Levels of logic of a cell: an adder, a comparison, a rounding, a multiplexer or a table of six
/// bits is one, a product as many as its tree of adders.
int levels_of(const Module& module, const NetlistCell& cell);

/// The cells that are tables of at most five bits which one subtraction alone reads, as what it
/// takes away: part of its LUTs, they are no level of their own.
std::vector<bool> tables_in_adders(const Module& module);

/// Where a wire is: so many registers, and so many levels of logic behind the last.
struct Phase {
  int stage = 0;
  int level = 0;

  auto operator<=>(const Phase&) const = default;
};

/// Pipelines modules of a netlist, and those they have instances of.
class Pipeliner {
 public:
  /// At most `depth` levels between registers, but for cells that have more themselves.
  Pipeliner(Netlist& netlist, int depth) : netlist_(netlist), depth_(depth) {}

  struct Pipelined {
    Module module;
    int level = 0;  ///< of its outputs, behind its last registers
  };
  /// The module with registers; its inputs come `start` levels behind theirs, and its outputs all
  /// in the same cycle. Modules that it needs are added to the netlist.
  Pipelined run(const Module& module, int start);

 private:
  friend class ModulePipeliner;
  struct Known {
    std::size_t module = 0;
    int level = 0;
  };
  const Known& inner(std::size_t module, int start);

  Netlist& netlist_;
  int depth_;
  std::map<std::pair<std::size_t, int>, Known> known_;
};

/// Most levels of logic between inputs, registers and outputs: of a module that has instances of
/// those of the netlist, and of its top.
int logic_depth(const Netlist& netlist, const Module& module);
int logic_depth(const Netlist& netlist);

/// Without the modules that the top has no instance of.
Netlist without_unused(Netlist netlist);

}  // namespace chop::hardware
