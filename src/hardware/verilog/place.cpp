#include "hardware/verilog/place.hpp"

#include <chrono>

#include "support/json.hpp"
#include "support/system/files.hpp"
#include "support/system/run_program.hpp"
#include "support/text.hpp"

namespace chop::hardware {
namespace {

constexpr std::string_view kWantedMegahertz = "250";  ///< more than such circuits reach

int total_width(std::span<const TopPort> ports, bool outputs) {
  int width = 0;
  for (const TopPort& port : ports) width += port.is_output == outputs ? port.width : 0;
  return width;
}

Result<const PlacingDevice*> find_device(const SynthesisTarget& target, std::string_view part) {
  if (target.placer.devices.empty()) {
    std::vector<std::string> known;
    for (const SynthesisTarget& each : all_targets())
      if (!each.placer.devices.empty()) known.emplace_back(each.name);
    return Error{.what = cat("nextpnr does not place circuits on ", target.doc),
                 .hint = cat("--target ", join(known, " or "))};
  }
  const std::string wanted = lower_case(part);
  for (const PlacingDevice& device : target.placer.devices)
    if (wanted.find(device.mark) != std::string::npos) return &device;
  return &target.placer.devices.front();
}

/// What nextpnr complains of: its lines of errors.
Error failure(const ProgramResult& ran, std::string_view program, const PlacingDevice& device) {
  Error error{.what = cat(program, " cannot place the circuit on ", device.name)};
  for (const std::string& line : split(ran.output, '\n'))
    if (line.starts_with("ERROR: ")) error.notes.push_back(line.substr(7));
  if (error.notes.empty()) error.notes.push_back(std::string(trim(ran.output)));
  error.hint = "a larger part (--target), narrower formats, or --reuse";
  return error;
}

/// Family, files and the harness as nextpnr wants them.
Status synthesise_harness(const PlacingJob& job, const std::filesystem::path& folder,
                          const SynthesisTarget& target) {
  CH_CHECK(write_file(folder / "synth/placed.sv", placing_harness(job)));
  SynthesisJob whole = job.synthesis;
  whole.top = "placed";
  whole.sources.emplace_back("synth/placed.sv");
  return run_yosys(whole, cat(synthesis_command(whole, target), " -json synth/placed.json"),
                   folder);
}

}  // namespace

PlacingJob placing_of(const Netlist& netlist, SynthesisJob synthesis) {
  PlacingJob job{.synthesis = std::move(synthesis)};
  const Module& top = netlist.top();
  if (top.latency > 0) job.clock = "clk";
  for (const WireId wire : top.inputs())
    job.ports.push_back({top.cells[wire].name, width_of(top.range(wire)), false});
  for (const Output& output : top.outputs)
    job.ports.push_back({output.name, width_of(top.range(output.wire)), true});
  return job;
}

std::string placing_harness(const PlacingJob& job) {
  std::vector<std::string> lines;
  if (!job.clock.empty()) lines.push_back(cat("    .", job.clock, "(clk)"));
  int given = 0;
  int made = 0;
  for (const TopPort& port : job.ports) {
    int& low = port.is_output ? made : given;
    lines.push_back(cat("    .", port.name, "(", port.is_output ? "made" : "given", "[",
                        low + port.width - 1, ":", low, "])"));
    low += port.width;
  }
  return cat("// For place and route: ports as shift registers, so that three pins are enough.\n",
             "module placed (\n  input  logic clk,\n  input  logic in,\n  output logic out\n);\n",
             "  logic [", given - 1, ":0] given;\n  logic [", made - 1, ":0] made, kept;\n  ",
             job.synthesis.top, " circuit (\n", join(lines, ",\n"), "\n  );\n",
             "  always_ff @(posedge clk) begin\n    given <= (given << 1) | ", given,
             "'(in);\n    kept <= (kept << 1) ^ made;\n  end\n  assign out = kept[", made - 1,
             "];\nendmodule\n");
}

Status read_placing_report(std::string_view json, std::string_view cell, Placed& placed) {
  CH_TRY(const Tree report, parse_json(json, "nextpnr's report"));
  const Tree::Table* clocks = report["fmax"].as_table();
  const Tree& cells = report["utilization"][cell];
  if (clocks == nullptr || clocks->empty() || !cells["used"].is_number())
    return Error{.what = cat("nextpnr's report names no frequency, or no ", cell)};
  placed.frequency = std::numeric_limits<double>::infinity();
  for (const auto& [clock, found] : *clocks)
    placed.frequency = std::min(placed.frequency, found["achieved"].number());
  placed.cells = static_cast<std::int64_t>(cells["used"].number());
  placed.available = static_cast<std::int64_t>(cells["available"].number());
  return {};
}

Result<Placed> place(const PlacingJob& job, const std::filesystem::path& folder,
                     const SynthesisTarget& target, std::string_view part) {
  CH_TRY(const PlacingDevice* device, find_device(target, part));
  const std::string program(target.placer.program);
  if (!has_program(program))
    return Error{.what = cat(program, " is not installed"),
                 .hint = std::string(target.placer.hint)};
  const auto begin = std::chrono::steady_clock::now();
  CH_CHECK(synthesise_harness(job, folder, target));
  std::vector<std::string> words = {program,
                                    "-q",
                                    "--json",
                                    "synth/placed.json",
                                    "--seed",
                                    "1",
                                    "--freq",
                                    std::string(kWantedMegahertz),
                                    "--timing-allow-fail",
                                    std::string(target.placer.unconstrained),
                                    "--report",
                                    "synth/placed_report.json"};
  for (const std::string& word : split(device->options, ' ')) words.push_back(word);
  CH_TRY(const ProgramResult ran, run_program(words, folder));
  if (ran.code != 0) return failure(ran, program, *device);
  CH_TRY(const std::string report, read_file(folder / "synth/placed_report.json"));
  Placed placed{.device = std::string(device->name),
                .harness_registers = total_width(job.ports, false) + total_width(job.ports, true),
                .command = join(words, " ")};
  CH_CHECK(read_placing_report(report, target.placer.cell, placed));
  placed.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  CH_TRY(const ProgramResult version, run_program({program, "--version"}, folder));
  placed.version = std::string(trim(version.output));
  return placed;
}

}  // namespace chop::hardware
