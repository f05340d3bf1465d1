#include "cli/circuits/certificate.hpp"

#include "cli/build_info.hpp"
#include "cli/circuits/simulation.hpp"
#include "cli/output.hpp"
#include "formats/registry.hpp"
#include "hardware/integer/op_def.hpp"
#include "hardware/proof/equivalence.hpp"
#include "hardware/proof/layers.hpp"
#include "hardware/verilog/synthesise.hpp"
#include "io/checkpoint.hpp"
#include "support/json.hpp"
#include "support/sha256.hpp"
#include "support/system/log.hpp"
#include "support/system/run_program.hpp"
#include "support/text.hpp"

namespace chop::cli {
namespace {

namespace fs = std::filesystem;

std::string sha256_of(std::string_view text) {
  return sha256(std::as_bytes(std::span(text.data(), text.size())));
}

std::string sha256_of(const Tensor& tensor) {
  Sha256 sum;
  const std::string shape = to_string(tensor.shape());
  sum.add(std::as_bytes(std::span(shape.data(), shape.size())));
  sum.add({tensor.bytes(), tensor.size_in_bytes()});
  return sum.hex();
}

/// The first line that a program says of itself.
std::string version_of(const std::string& program, const std::string& flag) {
  const Result<ProgramResult> said = run_program({program, flag}, "");
  if (!said) return "not installed";
  for (const std::string& line : split(said.value().output, '\n'))
    if (!trim(line).empty()) return std::string(trim(line));
  return "unknown";
}

Tree tools_tree() {
  return Tree::Table{{"yosys", version_of("yosys", "-V")},
                     {"abc", abc_program()},
                     {"verilator", version_of("verilator", "--version")},
                     {"icarus", version_of("iverilog", "-V")}};
}

}  // namespace

Tree network_tree(const Graph& graph) {
  Tree tree = Tree::Table{{"parameters", Tree::table()}, {"formats", Tree::table()}};
  for (const Parameter& parameter : graph.parameters())
    tree["parameters"].set(parameter.name, sha256_of(parameter.value));
  for (const NodeId id : graph.order()) {
    const Node& node = graph.node(id);
    for (const auto& [operand, format] : node.formats)
      tree["formats"].set(cat(node.name, ".", operand), display(format));
  }
  return tree;
}

Tree data_tree(const Dataset& data, const std::string& name) {
  const fs::path path(name);
  return Tree::Table{{"name", path.is_absolute() ? path.filename().string() : name},
                     {"test_rows", data.test.rows()},
                     {"synthetic", data.synthetic},
                     {"sha256", sha256_of(data.test.x)}};
}

namespace {

/// What options a certificate keeps: those of the circuit and of the samples that were given.
Tree options_tree(const Settings& settings) {
  std::vector<std::string_view> kept = {
      "seed",       "shape",     "rows",      "standardise",         "input_scale",
      "input_mean", "input_std", "target",    "validation_fraction", "validation",
      "abc9",       "split",     "simulator", "num_targets"};
  const std::vector<SettingDef> circuit = circuit_settings();
  const std::vector<SettingDef> simulation = simulation_settings();
  for (const SettingDef& def : circuit) kept.push_back(def.field.name);
  for (const SettingDef& def : simulation) kept.push_back(def.field.name);
  Tree tree = Tree::table();
  for (const SettingDef& def : settings.defs()) {
    if (std::find(kept.begin(), kept.end(), def.field.name) == kept.end()) continue;
    for (const SettingSource source : {SettingSource::Manual, SettingSource::ConfigFile})
      if (const auto text = settings.shown(def.field.name, source)) {
        tree.set(def.field.name, *text);
        break;
      }
  }
  return tree;
}

/// Every file of a circuit that is read by others; not the binaries of simulators.
Result<Tree> sums_of_files(const Circuit& circuit, const fs::path& folder) {
  std::vector<std::string> names = {"integer.txt", "netlist.txt", "rtl/files.f", "model.mz"};
  for (const SourceFile& file : sources_of(circuit)) names.push_back(cat("rtl/", file.name));
  for (const std::string_view name : {"vivado.tcl", "vivado.xdc", "quartus.tcl", "quartus.sdc"})
    names.push_back(cat("project/", name));
  if (!circuit.stream) names.emplace_back("synth/net.v");
  std::sort(names.begin(), names.end());
  Tree tree = Tree::table();
  for (const std::string& name : names) {
    CH_TRY(const std::string text, read_file(folder / name));
    tree.set(name, sha256_of(text));
  }
  return tree;
}

/// Why what a layer computes is believed.
Tree layer_tree(const IntegerGraph& graph, const LayerProof& proof) {
  const IntegerNode& node = graph.nodes[proof.node];
  Tree tree = Tree::Table{{"name", node.name},
                          {"op", node.op},
                          {"bits", width_of(node.type.range())},
                          {"frac", node.type.frac},
                          {"method", name_of(proof.method)}};
  if (proof.codes > 0) tree["codes"] = proof.codes;
  if (!node.remark.empty()) tree["float32"] = node.remark;
  return tree;
}

Tree comparison_tree(const Comparison& made) {
  Tree tree = Tree::Table{{"verdict", name_of(made.verdict)}};
  if (!made.why.empty()) tree["why"] = made.why;
  return tree;
}

Tree open_tree(std::string_view why) {
  return Tree::Table{{"verdict", name_of(Verdict::Open)}, {"why", why}};
}

Status prove_and_synthesise(const Circuit& circuit, const Settings& settings,
                            const fs::path& folder, Tree& tree) {
  CH_TRY(const SynthesisTarget* target, find_target(settings.text_or_empty("target")));
  NetlistOptions options = circuit.options;
  options.registers = false;
  options.logic_depth = 0;
  options.stages = 0;
  CH_TRY(const Netlist meaning, to_netlist(circuit.integers, options));
  log_info("Proving the layers...");
  CH_TRY(const std::vector<LayerProof> layers, prove_layers(circuit.integers, meaning, folder));
  for (const LayerProof& proof : layers) tree["layers"].push(layer_tree(circuit.integers, proof));
  log_info("Synthesising with Yosys...");
  CH_TRY(const Synthesised made,
         synthesise(synthesis_of(circuit.netlist, settings.flag("abc9")), folder, *target));
  tree["synthesis"] = Tree::Table{
      {"target", std::string(target->name)}, {"command", made.command}, {"luts", made.luts},
      {"registers", made.registers},         {"carries", made.carries}, {"depth", made.depth}};
  log_info("Proving the files and the synthesised netlist with ABC...");
  CH_TRY(const EquivalenceProof proof,
         prove_equivalence(meaning, circuit.netlist, folder, *target));
  tree["proofs"] = Tree::Table{{"ranges", Tree::Table{{"verdict", "proven"}}},
                               {"files", comparison_tree(proof.files)},
                               {"synthesised", comparison_tree(proof.synthesised)},
                               {"output_bits", proof.bits},
                               {"gates", proof.gates}};
  return {};
}

/// Of streams and folded circuits, whose handshakes are not part of the netlist.
void say_what_is_simulated(const Circuit& circuit, Tree& tree) {
  const std::string_view why = circuit.is_folded()
                                   ? "folded: line buffers, multipliers and queues keep state"
                                   : "a stream: its registers wait for the next word";
  tree["layers"] = Tree::list();
  for (const IntegerNode& node : circuit.integers.nodes) {
    const IntegerOpDef& op = *find_integer_op(node.op);
    if (op.build == nullptr && op.wires == nullptr) continue;
    tree["layers"].push(layer_tree(circuit.integers, {.node = static_cast<std::size_t>(
                                                          &node - circuit.integers.nodes.data())}));
  }
  tree["proofs"] = Tree::Table{{"ranges", Tree::Table{{"verdict", "proven"}}},
                               {"files", open_tree(why)},
                               {"synthesised", open_tree(why)}};
}

/// The command that makes the certificate again, in its folder.
std::string repeat_command(const Tree& tree) {
  std::string command = cat("ch certify model.mz ", *tree["data"]["name"].as_text());
  for (const auto& [name, value] : *tree["options"].as_table()) {
    std::string flag;
    for (const char letter : name) flag += letter == '_' ? '-' : letter;
    const std::string& text = *value.as_text();
    if (text == "True")
      command += cat(" --", flag);
    else
      command += cat(" --", flag, " ", text);
  }
  return command + " --out again";
}

/// Counts without times, which no two runs share.
Tree agreement_tree(const Tree& simulated) {
  Tree tree = Tree::table();
  for (const std::string_view what : {"float", "verilator", "verilator_stalled", "icarus"})
    if (const Tree* made = simulated.find(what))
      tree.set(what, Tree::Table{{"samples", (*made)["samples"]},
                                 {"values", (*made)["values"]},
                                 {"differing", (*made)["differing"]}});
  return tree;
}

}  // namespace

std::vector<SettingDef> certificate_settings() {
  std::vector<SettingDef> settings = circuit_settings();
  for (SettingDef& def : simulation_settings()) settings.push_back(std::move(def));
  settings.push_back(split_setting());
  settings.push_back(flag("abc9", "map with Yosys' -abc9"));
  return settings;
}

Result<Tree> measure_certificate(const Settings& settings, const CircuitFolder& held,
                                 const fs::path& folder) {
  CH_TRY(const Circuit circuit, make_circuit(settings));
  if (!circuit.stream) CH_CHECK(need_programs(std::vector<std::string>{"yosys", abc_program()}));
  const std::string name = settings.text_or_empty("dataset");
  CH_TRY(const Dataset data,
         open_dataset(name, data_options(settings), circuit.graph, Labels::Optional));
  const BuildInfo build = build_info();
  Tree tree = Tree::Table{
      {"certificate", 1},
      {"ch", Tree::Table{{"version", build.version}, {"commit", build.commit}}},
      {"tools", tools_tree()},
      {"model",
       Tree::Table{{"name", fs::path(circuit.name).filename().string()}, {"file", "model.mz"}}},
      {"data", data_tree(data, name)},
      {"options", options_tree(settings)}};
  add_entries(tree["model"], network_tree(circuit.graph));
  CH_TRY(const CircuitSimulation made,
         simulate_circuit(circuit, &data, simulation_options(settings), held, folder));
  tree["circuit"] = tree_of(circuit);
  tree["circuit"]["model"] = tree["model"]["name"];
  tree["agreement"] = agreement_tree(made.result);
  CH_CHECK(io::save_checkpoint(folder / "model.mz", {.graph = circuit.graph}));
  if (circuit.stream)
    say_what_is_simulated(circuit, tree);
  else
    CH_CHECK(prove_and_synthesise(circuit, settings, folder, tree));
  CH_TRY(tree["files"], sums_of_files(circuit, folder));
  tree["commands"] = Tree::List{repeat_command(tree), "ch certify --check certificate.json"};
  return tree;
}

bool is_sound(const Tree& certificate) {
  for (const std::string_view what : {"verilator", "verilator_stalled", "icarus"})
    if (const Tree* made = certificate["agreement"].find(what))
      if ((*made)["differing"].number() != 0) return false;
  for (const std::string_view what : {"files", "synthesised"})
    if (certificate["proofs"][what]["verdict"] == Tree(name_of(Verdict::Differs))) return false;
  return true;
}

}  // namespace chop::cli
