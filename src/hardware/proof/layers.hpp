// That the module of every integer op computes what the op says: for all inputs where that is
// cheap.
#pragma once

#include <filesystem>

#include "hardware/integer/integer_graph.hpp"
#include "hardware/netlist/netlist.hpp"

namespace chop::hardware {

enum class LayerMethod : std::uint8_t {
  Wires,         ///< it only moves codes
  Coefficients,  ///< adders are a matrix: an identity of integer coefficients
  AllCodes,      ///< every code of every element was run
  Property,      ///< what the op says of inputs and results holds for all inputs, by ABC
  Unused,        ///< no output depends on it
  Simulated      ///< neither: what simulation shows
};
std::string_view name_of(LayerMethod method);

struct LayerProof {
  std::size_t node = 0;  ///< of the integer graph
  LayerMethod method = LayerMethod::Simulated;
  std::int64_t codes = 0;  ///< that were run, of all elements together
};

/// Of every node but the inputs, in a netlist of to_netlist() without registers. A module that does
/// something else is an error that names it. What needs ABC is done in `folder`, and counts as
/// simulated where none is given.
Result<std::vector<LayerProof>> prove_layers(const IntegerGraph& graph, const Netlist& netlist,
                                             const std::filesystem::path& folder = {});

}  // namespace chop::hardware
