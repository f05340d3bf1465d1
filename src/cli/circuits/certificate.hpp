// What is known about an emitted circuit, as a file that says how to find out again.
#pragma once

#include "cli/action_def.hpp"
#include "cli/circuits/circuit_folder.hpp"
#include "data/dataset.hpp"
#include "ir/graph.hpp"
#include "support/tree.hpp"

namespace chop::cli {

/// What can be said of the circuit, its simulation and its synthesis, and the folder.
std::vector<SettingDef> certificate_settings();

/// Everything that a certificate holds, measured: the circuit of the settings `model` and `dataset`
/// is emitted to `folder`, which `held` holds, simulated, synthesised and proven. Nothing in it
/// depends on where that folder is.
Result<Tree> measure_certificate(const Settings& settings, const CircuitFolder& held,
                                 const std::filesystem::path& folder);

/// The sums of the parameters, and the formats of the operands.
Tree network_tree(const Graph& graph);
/// The name of a data set, without the folder of an absolute path, and the sum of its test rows.
Tree data_tree(const Dataset& data, const std::string& name);

/// Writes certificate.json and certificate.md to `folder`.
Status write_certificate(const Tree& certificate, const std::filesystem::path& folder);

/// Whether every comparison that was made came out equal.
bool is_sound(const Tree& certificate);

/// An entry as text, "" where it is none; a count with commas.
std::string text_of(const Tree& tree);
std::string count_of(const Tree& tree);
/// The tables of the page: the layers and how each is proven; what was compared.
std::string certificate_page(const Tree& certificate);
/// The same in a few lines, for the screen.
std::string certificate_summary(const Tree& certificate);

/// Repeats what a certificate says, and returns a sentence for everything that is not so. Files are
/// looked for beside it; `model` and `dataset` of the settings, where they are given, are taken
/// instead of those that it names.
struct CertificateCheck {
  std::vector<std::string> differences = {};
  std::vector<std::string> notes = {};  ///< other versions of tools
};
Result<CertificateCheck> check_certificate(const std::filesystem::path& file,
                                           const Invocation& invocation);

}  // namespace chop::cli
