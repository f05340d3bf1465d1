// ch synth MODEL|FILE: the LUTs of a circuit, by Yosys, for each way to add and module by module.
#include <filesystem>

#include "cli/circuits/circuit_folder.hpp"
#include "cli/output.hpp"
#include "hardware/stream/units.hpp"
#include "hardware/verilog/place.hpp"
#include "report/svg.hpp"
#include "support/system/files.hpp"
#include "support/system/log.hpp"
#include "support/system/run_program.hpp"
#include "support/text.hpp"

namespace chop::cli::actions::synth {
namespace {

Tree tree_of(const std::string& adders, const Circuit& circuit, const Synthesised& result) {
  Tree tree = cli::tree_of(circuit);
  tree["adders_made"] = adders;
  tree["luts"] = result.luts;
  tree["route_throughs"] = result.route_throughs;
  tree["registers_made"] = result.registers;
  tree["carries"] = result.carries;
  tree["muxes"] = result.muxes;
  tree["dsps"] = result.dsps;
  tree["memories"] = result.memories;
  tree["depth"] = result.depth;
  tree["seconds"] = result.seconds;
  tree["cells"] = Tree(result.cells);
  return tree;
}

SynthesisJob job_of(const Circuit& circuit, bool abc9) {
  if (!circuit.stream) return synthesis_of(circuit.netlist, abc9);
  SynthesisJob job{.top = circuit.stream->name, .is_folded = circuit.is_folded(), .abc9 = abc9};
  for (const SourceFile& file : sources_of(circuit)) job.sources.push_back("rtl/" + file.name);
  return job;
}

Tree tree_of(const Placed& placed) {
  return Tree::Table{{"device", placed.device},
                     {"megahertz", placed.frequency},
                     {"cells", placed.cells},
                     {"cells_available", placed.available},
                     {"harness_registers", placed.harness_registers},
                     {"version", placed.version},
                     {"command", placed.command},
                     {"seconds", placed.seconds}};
}

std::string text_of(const Placed& placed) {
  return cat("Placed and routed on ", placed.device, ": ", Cell(placed.frequency, 1).text, " MHz, ",
             with_commas(placed.cells), " of ", with_commas(placed.available),
             " logic cells, of which ", with_commas(placed.harness_registers),
             " are shift registers that stand for the pins (", Cell(placed.seconds, 1).text,
             " s)\n");
}

PlacingJob placing_of(const Circuit& circuit, const SynthesisJob& job) {
  return circuit.stream ? hardware::placing_of(*circuit.stream, job)
                        : hardware::placing_of(circuit.netlist, job);
}

/// Module by module, each as often as it is used, largest first; the estimate of the same.
Table module_table(const Circuit& circuit, const std::map<std::string, Synthesised>& modules) {
  Table table{.columns = {{"Module", Align::Left, 0, "module"},
                          {"Times", Align::Right, 0, "uses"},
                          {"LUT", Align::Right, 0, "luts"},
                          {"Estimate", Align::Right, 0, "estimated"},
                          {"FF", Align::Right, 0, "registers"},
                          {"Carry", Align::Right, 0, "carries"}},
              .rows = {}};
  std::vector<ModuleEstimate> parts = estimate(circuit.netlist).modules;
  std::stable_sort(parts.begin(), parts.end(),
                   [](const auto& a, const auto& b) { return a.luts > b.luts; });
  for (const ModuleEstimate& part : parts) {
    const auto made = modules.find(part.name);
    if (made == modules.end()) continue;
    const std::int64_t times = part.uses;
    table.rows.push_back({part.name, times, made->second.luts * times,
                          static_cast<std::int64_t>(std::llround(part.luts)),
                          made->second.registers * times, made->second.carries * times});
  }
  return table;
}

/// Where the LUTs go, as a picture.
Status draw(const Table& modules, const std::string& target, const std::filesystem::path& path) {
  report::BarChart chart{.title = "Where the LUTs go",
                         .x_label = cat("LUTs of each module by itself, ", target),
                         .series = {{.name = "Yosys"}, {.name = "Estimate for UltraScale+"}}};
  for (const std::vector<Cell>& row : modules.rows) {
    chart.names.push_back(row[0].text);
    chart.series[0].values.push_back(static_cast<double>(std::get<std::int64_t>(row[2].value)));
    chart.series[1].values.push_back(static_cast<double>(std::get<std::int64_t>(row[3].value)));
  }
  return write_file(path, to_svg(chart));
}

Table empty_table() {
  return {.columns = {{"Adders", Align::Left, 0, "how"},
                      {"Count", Align::Right, 0, "adders"},
                      {"LUT", Align::Right, 0, "luts"},
                      {"+rt", Align::Right, 0, "route_throughs"},
                      {"FF", Align::Right, 0, "registers"},
                      {"Carry", Align::Right, 0, "carries"},
                      {"Mux", Align::Right, 0, "muxes"},
                      {"DSP", Align::Right, 0, "dsps"},
                      {"RAM", Align::Right, 0, "memories"},
                      {"Depth", Align::Right, 0, "depth"},
                      {"Yosys (s)", Align::Right, 0, "seconds"}},
          .rows = {}};
}

std::vector<Cell> row_of(const std::string& way, const Circuit& circuit, const Synthesised& made) {
  return {way,
          with_commas(
              count_cells(circuit.is_folded() ? circuit.stream->cores : circuit.netlist).adders),
          with_commas(made.luts),
          with_commas(made.route_throughs),
          with_commas(made.registers),
          with_commas(made.carries),
          with_commas(made.muxes),
          with_commas(made.dsps),
          with_commas(made.memories),
          made.depth,
          Cell(made.seconds, 1)};
}

/// Counts every module by itself, into `result` and a picture; returns the text about them.
Result<std::string> count_modules(const Invocation& invocation, const Circuit& circuit,
                                  const SynthesisJob& job, const std::filesystem::path& folder,
                                  const SynthesisTarget& target, Tree& result) {
  CH_TRY(const auto counts, synthesise_modules(job, folder, target));
  const Table modules = module_table(circuit, counts);
  result["modules"] = report::tree_of(modules);
  const std::filesystem::path picture = folder / "synth/luts.svg";
  CH_CHECK(draw(modules, std::string(target.name), picture));
  return cat("\n", shown(invocation, modules, TableStyle::Simple),
             "Each by itself; the whole is less, because Yosys optimises across modules. Picture: ",
             picture.string(), "\n");
}

Result<Exit> run(const Invocation& invocation) {
  const Settings& settings = invocation.settings;
  const std::filesystem::path folder = settings.text_or_empty("out");
  CH_TRY(const SynthesisTarget* target, find_target(settings.text_or_empty("target")));
  CH_CHECK(need_programs(std::vector<std::string>{"yosys"}));
  std::vector<std::string> ways = {settings.text_or_empty("adders")};
  if (settings.flag("compare")) {
    const std::vector<std::string_view> all = adder_method_names();
    ways.assign(all.begin(), all.end());
  }
  Table table = empty_table();
  Tree result;
  std::string below;
  std::string placed_text;
  CH_TRY(const CircuitFolder held, CircuitFolder::take(folder, "`ch synth`"));
  for (const std::string& way : ways) {
    CH_TRY(const Circuit circuit, make_circuit(settings, way));
    if (settings.flag("modules") && circuit.stream)
      return Error{.what = "--modules counts circuits with plain ports",
                   .hint = "leave --interface and --reuse away"};
    CH_CHECK(held.write(circuit, make_vectors(circuit.definition, 100, 0)));
    log_info(cat("Synthesising with ", way, " adders..."));
    const SynthesisJob job = job_of(circuit, settings.flag("abc9"));
    CH_TRY(const Synthesised made, synthesise(job, folder, *target));
    table.rows.push_back(row_of(way, circuit, made));
    Tree described = tree_of(way, circuit, made);
    below = cat(made.version, ": ", made.command, "\n");
    result["command"] = trim(below);
    if (settings.flag("place")) {
      log_info(cat("Placing and routing with ", way, " adders..."));
      CH_TRY(const Placed placed,
             place(placing_of(circuit, job), folder, *target, settings.text_or_empty("target")));
      described["placed"] = tree_of(placed);
      placed_text += cat(settings.flag("compare") ? cat(way, ": ") : "", text_of(placed));
      below += cat(placed.version, ": ", placed.command, "\n");
    }
    result["circuits"].push(std::move(described));
    if (!settings.flag("modules")) continue;
    CH_TRY(const std::string text,
           count_modules(invocation, circuit, job, folder, *target, result));
    below += text;
  }
  result["target"] = std::string(target->name);
  if (prints_text(invocation))
    invocation.out << shown(invocation, table, TableStyle::Simple) << placed_text << below;
  return done(invocation, result);
}

}  // namespace

ActionDef define() {
  std::vector<SettingDef> own = circuit_settings();
  own.push_back(flag("compare", "all three kinds of adders, one row each"));
  own.push_back(flag("modules", "every module by itself as well, and a picture of them"));
  own.push_back(
      flag("place", "place and route with nextpnr: the frequency on a device of iCE40 or ECP5"));
  own.push_back(flag("abc9", "map with Yosys' -abc9"));
  return {
      .name = "synth",
      .usage = "ch synth MODEL|FILE [--compare] [options]",
      .summary = "count the LUTs of a network's circuit with Yosys",
      .details =
          "  ch synth quantised.mz\n"
          "  ch synth quantised.mz --compare --combinational\n"
          "  ch synth quantised.mz --target ice40 --modules\n"
          "  ch synth convolutions.mz --reuse 16\n"
          "  ch synth quantised.mz --target ice40hx8k --place --pipeline 6\n"
          "Flat, for UltraScale+ (--target xilinx, or a part of it), iCE40 or ECP5; folded "
          "circuits\n"
          "with DSPs and memories, all others without. LUT counts inverters, and on ECP5 the two "
          "LUTs\n"
          "of a carry cell; +rt is LUT sites of UltraScale+ that only feed a carry chain; depth is "
          "the\n"
          "most cells between registers. The version of Yosys and its command stand below.",
      .positionals = {"model"},
      .required = {"model"},
      .settings = circuit_uses({"shape", "seed", "log_level", "json", "quiet", "no_warnings"}),
      .own = std::move(own),
      .run = run};
}

}  // namespace chop::cli::actions::synth
