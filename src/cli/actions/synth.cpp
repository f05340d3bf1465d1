// ch synth MODEL|FILE: the LUTs of a circuit, by Yosys, for each way to add.
#include <filesystem>

#include "cli/circuit_folder.hpp"
#include "cli/output.hpp"
#include "hardware/verilog/synthesise.hpp"
#include "support/system/log.hpp"
#include "support/text.hpp"

namespace chop::cli::actions::synth {
namespace {

Tree tree_of(const std::string& adders, const Circuit& circuit, const Synthesised& result) {
  Tree tree = cli::tree_of(circuit);
  tree["adders_made"] = adders;
  tree["luts"] = result.luts;
  tree["registers_made"] = result.registers;
  tree["carries"] = result.carries;
  tree["muxes"] = result.muxes;
  tree["dsps"] = result.dsps;
  tree["depth"] = result.depth;
  tree["seconds"] = result.seconds;
  tree["cells"] = Tree(result.cells);
  return tree;
}

Result<Exit> run(const Invocation& invocation) {
  const Settings& settings = invocation.settings;
  const std::filesystem::path folder = settings.text_or_empty("out");
  CH_TRY(const SynthesisTarget* target, find_target(settings.text_or_empty("target")));
  std::vector<std::string> ways = {settings.text_or_empty("adders")};
  if (settings.flag("compare")) {
    const std::vector<std::string_view> all = adder_method_names();
    ways.assign(all.begin(), all.end());
  }
  Table table{.columns = {{"Adders", Align::Left, 0, "how"},
                          {"Count", Align::Right, 0, "adders"},
                          {"LUT", Align::Right, 0, "luts"},
                          {"FF", Align::Right, 0, "registers"},
                          {"Carry", Align::Right, 0, "carries"},
                          {"Mux", Align::Right, 0, "muxes"},
                          {"DSP", Align::Right, 0, "dsps"},
                          {"Depth", Align::Right, 0, "depth"},
                          {"Yosys (s)", Align::Right, 0, "seconds"}},
              .rows = {}};
  Tree result;
  std::string command;
  CH_TRY(const CircuitFolder held, CircuitFolder::take(folder, "`ch synth`"));
  for (const std::string& way : ways) {
    CH_TRY(const Circuit circuit, make_circuit(settings, way));
    if (circuit.stream)
      return Error{.what = "ch synth counts circuits with plain ports",
                   .hint = "leave --interface and --reuse away"};
    CH_CHECK(held.write(circuit, make_vectors(circuit.integers, 100, 0)));
    log_info(cat("Synthesising with ", way, " adders..."));
    CH_TRY(const Synthesised made,
           synthesise(circuit.netlist, folder, *target, settings.flag("abc9")));
    table.rows.push_back({way, with_commas(count_cells(circuit.netlist).adders),
                          with_commas(made.luts), with_commas(made.registers),
                          with_commas(made.carries), with_commas(made.muxes),
                          with_commas(made.dsps), made.depth, report::Cell(made.seconds, 1)});
    result["circuits"].push(tree_of(way, circuit, made));
    command = cat(made.version, ": ", made.command);
  }
  result["command"] = command;
  result["target"] = std::string(target->name);
  if (prints_text(invocation))
    invocation.out << shown(invocation, table, TableStyle::Simple) << command << "\n";
  return done(invocation, result);
}

}  // namespace

ActionDef define() {
  std::vector<SettingDef> own = circuit_settings();
  own.push_back(flag("compare", "all three kinds of adders, one row each"));
  own.push_back(flag("abc9", "map with Yosys' -abc9"));
  return {
      .name = "synth",
      .usage = "ch synth MODEL|FILE [--compare] [options]",
      .summary = "count the LUTs of a network's circuit with Yosys",
      .details =
          "  ch synth quantised.mz\n"
          "  ch synth quantised.mz --compare --combinational\n"
          "  ch synth quantised.mz --target ice40\n"
          "Flat, without DSPs and memories, for UltraScale+ (--target xilinx, or a part of it),\n"
          "iCE40 or ECP5. LUT counts inverters, and on ECP5 the two LUTs of a carry cell; depth "
          "is\n"
          "the most cells between registers. The version of Yosys and its command stand below.",
      .positionals = {"model"},
      .required = {"model"},
      .settings = {"shape", "seed", "log_level", "json", "quiet", "no_warnings", "target"},
      .own = std::move(own),
      .run = run};
}

}  // namespace chop::cli::actions::synth
