// A network on its way to hardware, for the actions that emit and simulate.
#pragma once

#include "cli/settings/setting_def.hpp"
#include "cli/settings/settings.hpp"
#include "hardware/circuit/circuit.hpp"

namespace chop::cli {

/// The options of a circuit: adders, registers, interface, reuse, and the folder it is written to.
std::vector<SettingDef> circuit_settings();
/// The settings that every action on circuits uses beside them, and `more`.
std::vector<std::string_view> circuit_uses(std::vector<std::string_view> more);
/// The circuit of the setting `model`, with the adders of that setting unless `adders` names
/// others. An unknown `target` is an error, and a circuit that needs more LUTs by the estimate than
/// `num_targets` of them have.
Result<Circuit> make_circuit(const Settings& settings, const std::string& adders = "");
Tree tree_of(const Circuit& circuit);
Tree tree_of(const Estimate& made);
/// One line: LUTs, registers, carry cells, and how far such estimates are off.
std::string estimate_text(const Estimate& made);
/// Adders, tables, registers, latency, in a sentence or two.
std::string counts_text(const Circuit& circuit);

}  // namespace chop::cli
