// Tables whose entries are a sum of products: what adders with tables in their LUTs are made of.
#pragma once

#include "hardware/netlist/netlist.hpp"

namespace chop::hardware {

/// entry = Σ factor · root + constant, for all values that the roots can have.
struct TableLine {
  std::vector<WireId> roots = {};
  std::vector<std::int64_t> factors = {};
  std::int64_t constant = 0;
};

/// Of a table cell whose wires before it are in the module. The roots are what its index is put
/// together from, through concatenations and slices of all bits; every entry that they can choose
/// is looked at. Nothing where an entry is not on the line, or where there are too many.
std::optional<TableLine> table_line(const Module& module, const NetlistCell& table);

}  // namespace chop::hardware
