// A netlist, bit by bit.
#pragma once

#include "hardware/netlist/netlist.hpp"
#include "hardware/proof/bit_words.hpp"

namespace chop::hardware {

/// The bits of the top's ports, lowest first: "x_0[0]", "x_0[1]" ...; "x_0" where it has one.
std::vector<std::string> input_bits(const Netlist& netlist);
std::vector<std::string> output_bits(const Netlist& netlist);

/// A literal for every input bit, with which a code that the range of its port does not hold
/// becomes the nearest that it does: what is proven with them is proven for all inputs there can
/// be.
std::vector<Literal> inputs_in_range(const Netlist& netlist, AigBuilder& builder);

/// The top's inputs as numbers, of such literals; and its outputs, of such numbers.
std::vector<BitWord> input_words(const Netlist& netlist, std::span<const Literal> inputs);
std::vector<BitWord> build_words(const Netlist& netlist, AigBuilder& builder,
                                 std::vector<BitWord> inputs);

/// What the cells compute, registers being wires: as NetlistInterpreter does, for all inputs.
std::vector<Literal> build_aig(const Netlist& netlist, AigBuilder& builder,
                               std::span<const Literal> inputs);

}  // namespace chop::hardware
