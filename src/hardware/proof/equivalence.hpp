// That the emitted files are the netlist, and what Yosys made of them is the files: for all inputs.
#pragma once

#include <filesystem>

#include "hardware/netlist/netlist.hpp"
#include "hardware/proof/aig.hpp"
#include "hardware/verilog/target.hpp"

namespace chop::hardware {

enum class Verdict : std::uint8_t {
  Proven,
  Differs,  ///< there is an input for which they are not the same
  Open      ///< not decided: `why` says what was in the way
};
std::string_view name_of(Verdict verdict);

struct Comparison {
  Verdict verdict = Verdict::Open;
  std::string why = {};
  double seconds = 0;
};

struct EquivalenceProof {
  Comparison files = {};        ///< rtl/ as Yosys reads it, and the meaning
  Comparison synthesised = {};  ///< synth/net.v with the family's simulation models, and rtl/
  std::int64_t bits = 0;        ///< outputs that were compared
  std::int64_t gates = 0;       ///< ANDs of the files
};

struct EquivalenceOptions {
  int seconds = 600;  ///< for ABC, each time
};

/// Of a circuit with plain ports whose files are in `folder`, and synth/net.v as synthesise() left
/// it. `meaning` is the same network without registers, whose layers prove_layers() proves.
/// Registers are counted on every path, so that it is enough to compare what lies between them.
/// Leaves the graphs that ABC compared in proof/.
Result<EquivalenceProof> prove_equivalence(const Netlist& meaning, const Netlist& netlist,
                                           const std::filesystem::path& folder,
                                           const SynthesisTarget& target,
                                           const EquivalenceOptions& options = {});

/// That all outputs of a graph without latches are 0 for all inputs, by ABC; its file is left in
/// proof/NAME.aig of the folder.
Result<Comparison> prove_zero(const Aig& graph, const std::string& name,
                              const std::filesystem::path& folder,
                              const EquivalenceOptions& options = {});

/// "yosys-abc" or "berkeley-abc": ABC comes with Yosys on Debian, else by itself.
std::string abc_program();

}  // namespace chop::hardware
