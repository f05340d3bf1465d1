#include "hardware/verilog/synthesise.hpp"

#include <chrono>
#include <set>

#include "support/system/files.hpp"
#include "support/system/run_program.hpp"
#include "support/text.hpp"

namespace chop::hardware {
namespace {

std::int64_t sum_of(const std::map<std::string, std::int64_t>& cells,
                    std::span<const std::string_view> starts) {
  std::int64_t sum = 0;
  for (const auto& [name, count] : cells)
    for (const std::string_view start : starts)
      if (name.starts_with(start)) sum += count;
  return sum;
}

void count(Synthesised& result, const SynthesisTarget& target) {
  result.memories = sum_of(result.cells, target.memories);
  result.registers = sum_of(result.cells, target.registers);
  result.carries = sum_of(result.cells, target.carries);
  result.muxes = sum_of(result.cells, target.muxes);
  result.dsps = sum_of(result.cells, target.dsps);
  result.luts = sum_of(result.cells, target.luts) + target.luts_per_carry * result.carries;
}

/// "  SB_LUT4   12": a cell and how many; nothing of other lines.
std::optional<std::pair<std::string, std::int64_t>> counted_cell(const std::string& line) {
  std::vector<std::string> words;
  for (std::string& word : split(line, ' '))
    if (!word.empty()) words.push_back(std::move(word));
  if (words.size() != 2) return {};
  const auto number = parse_int(words[1]);
  if (!number) return {};
  return std::pair(words[0], *number);
}

/// Yosys 0.52 lists notes about where cells came from among the cells.
bool is_note(const std::string& cell) {
  return cell == "$scopeinfo";
}

}  // namespace

Status run_yosys(const SynthesisJob& job, const std::string& commands,
                 const std::filesystem::path& folder) {
  CH_CHECK(ensure_writable_folder(folder / "synth"));
  CH_TRY(const ProgramResult ran,
         run_program({"yosys", "-q", "-p",
                      cat("read_verilog -sv ", join(job.sources, " "), "; ", commands)},
                     folder));
  if (ran.code == 0) return {};
  Error error{.what = cat("yosys failed with code ", ran.code)};
  error.notes.push_back(std::string(trim(ran.output)));
  return error;
}

std::string synthesis_command(const SynthesisJob& job, const SynthesisTarget& target) {
  return cat(job.is_folded ? target.folded_command : target.command,
             job.abc9 && !target.maps_with_abc9 ? " -abc9" : "", " -top ", job.top);
}

std::map<std::string, std::int64_t> read_cell_counts(std::string_view text) {
  std::map<std::string, std::int64_t> cells;
  bool inside = false;
  for (const std::string& line : split(text, '\n')) {
    if (line.find("Number of cells:") != std::string::npos) {
      inside = true;  // the last table is that of the top
      cells.clear();
      continue;
    }
    const auto cell = counted_cell(line);
    inside = inside && cell;
    if (inside && !is_note(cell->first)) cells.insert(*cell);
  }
  return cells;
}

std::map<std::string, std::map<std::string, std::int64_t>> read_module_counts(
    std::string_view text) {
  std::map<std::string, std::map<std::string, std::int64_t>> modules;
  std::string module;
  bool inside = false;
  for (const std::string& line : split(text, '\n')) {
    if (line.starts_with("=== ")) module = line.substr(4, line.find(" ===", 4) - 4);
    if (module == "design hierarchy") break;  // sums of what was listed
    if (line.find("Number of cells:") != std::string::npos) {
      inside = true;
      continue;
    }
    const auto cell = counted_cell(line);
    inside = inside && cell;
    if (inside && !is_note(cell->first)) modules[module].insert(*cell);
  }
  return modules;
}

std::int64_t count_route_throughs(std::string_view blif) {
  std::set<std::string> by_luts = {"$false", "$true", "$undef"};
  std::vector<std::string> selects;
  for (const std::string& line : split(blif, '\n')) {
    if (!line.starts_with(".subckt ")) continue;
    const std::vector<std::string> words = split(line, ' ');
    const bool is_lut = words[1].starts_with("LUT") || words[1] == "INV";
    if (!is_lut && words[1] != "CARRY4") continue;
    for (std::size_t i = 2; i < words.size(); ++i) {
      const std::size_t equals = words[i].find('=');
      if (equals == std::string::npos) continue;
      if (is_lut && words[i][0] == 'O') by_luts.insert(words[i].substr(equals + 1));
      if (!is_lut && words[i].starts_with("S[")) selects.push_back(words[i].substr(equals + 1));
    }
  }
  return std::count_if(selects.begin(), selects.end(),
                       [&](const std::string& net) { return !by_luts.contains(net); });
}

int read_path_length(std::string_view text) {
  constexpr std::string_view kMark = "(length=";
  const std::size_t at = text.rfind(kMark);
  if (at == std::string_view::npos) return 0;
  text.remove_prefix(at + kMark.size());
  return static_cast<int>(parse_int(text.substr(0, text.find(')'))).value_or(0));
}

SynthesisJob synthesis_of(const Netlist& netlist, bool abc9) {
  SynthesisJob job{.top = netlist.top().name, .abc9 = abc9};
  for (const Module& module : netlist.modules)
    job.sources.push_back(cat("rtl/", module.name, ".sv"));
  return job;
}

Result<Synthesised> synthesise(const SynthesisJob& job, const std::filesystem::path& folder,
                               const SynthesisTarget& target) {
  Synthesised result{.command = synthesis_command(job, target)};
  const bool has_routes = target.name == "xilinx";
  const auto begin = std::chrono::steady_clock::now();
  CH_CHECK(run_yosys(job,
                     cat(result.command,
                         "; tee -o synth/stat.txt stat; tee -o synth/path.txt ltp -noff; "
                         "write_verilog -noattr synth/net.v",
                         has_routes ? "; write_blif synth/net.blif" : ""),
                     folder));
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  CH_TRY(const std::string stat, read_file(folder / "synth/stat.txt"));
  CH_TRY(const std::string path, read_file(folder / "synth/path.txt"));
  result.cells = read_cell_counts(stat);
  if (result.cells.empty()) return Error{.what = "yosys counted no cells"};
  count(result, target);
  if (result.memories > 0 && !job.is_folded)
    return Error{.what = "yosys made memories of the tables, so that its LUTs mean nothing"};
  if (has_routes) {
    CH_TRY(const std::string blif, read_file(folder / "synth/net.blif"));
    result.route_throughs = count_route_throughs(blif);
  }
  result.depth = read_path_length(path);
  CH_TRY(const ProgramResult version, run_program({"yosys", "-V"}, folder));
  result.version = std::string(trim(version.output));
  return result;
}

Result<std::map<std::string, Synthesised>> synthesise_modules(const SynthesisJob& job,
                                                              const std::filesystem::path& folder,
                                                              const SynthesisTarget& target) {
  constexpr std::string_view kFlatten = " -flatten";
  std::string command = synthesis_command(job, target);
  if (const std::size_t at = command.find(kFlatten); at != std::string::npos)
    command.erase(at, kFlatten.size());
  else
    command += " -noflatten";
  CH_CHECK(run_yosys(job, cat(command, "; tee -o synth/modules.txt stat"), folder));
  CH_TRY(const std::string stat, read_file(folder / "synth/modules.txt"));
  std::map<std::string, Synthesised> modules;
  for (auto& [name, cells] : read_module_counts(stat)) {
    Synthesised& made = modules[name];
    made.cells = std::move(cells);
    count(made, target);
  }
  return modules;
}

}  // namespace chop::hardware
