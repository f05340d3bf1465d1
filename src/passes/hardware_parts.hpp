// What the passes that write hardware share: the circuit that their arguments describe, and its
// folder.
#pragma once

#include "hardware/circuit/circuit.hpp"
#include "passes/pass_def.hpp"

namespace chop::passes {

/// The circuit of a network whose operands carry fixed-point formats, with the arguments
/// circuit_fields(), for the FPGA of the context. An unknown one is an error.
Result<Circuit> circuit_of(const Graph& graph, const Args& args, const PassContext& context);

/// Writes files below the hardware folder of the context; the text counts them.
Status write_hardware(std::span<const SourceFile> files, const PassContext& context,
                      PassOutput& output);

/// A run on a network with a format on every operand.
std::vector<PassSample> quantised_samples();

/// Help that all of them have.
std::string_view about_circuits();

}  // namespace chop::passes
