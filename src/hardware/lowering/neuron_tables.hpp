// Neurons of few input bits as truth tables, as LogicNets have them.
#pragma once

#include "hardware/netlist/from_integer.hpp"

namespace chop::hardware {

/// The same graph with neurons as tables: rows of constant matrices, together with the ops behind
/// them that treat every element by itself, become entries of a `lookup` where they read at most
/// `options.table_bits` bits and a table takes fewer LUTs than the adders, by the estimate. All
/// codes of their inputs are run, so the numbers stay.
Result<IntegerGraph> with_tables(IntegerGraph graph, const NetlistOptions& options);

}  // namespace chop::hardware
