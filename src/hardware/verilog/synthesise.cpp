#include "hardware/verilog/synthesise.hpp"

#include <chrono>

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

Status count(Synthesised& result, const SynthesisTarget& target) {
  if (result.cells.empty()) return Error{.what = "yosys counted no cells"};
  if (sum_of(result.cells, target.memories) > 0)
    return Error{.what = "yosys made memories of the tables, so that its LUTs mean nothing"};
  result.registers = sum_of(result.cells, target.registers);
  result.carries = sum_of(result.cells, target.carries);
  result.muxes = sum_of(result.cells, target.muxes);
  result.dsps = sum_of(result.cells, target.dsps);
  result.luts = sum_of(result.cells, target.luts) + target.luts_per_carry * result.carries;
  return {};
}

}  // namespace

std::map<std::string, std::int64_t> read_cell_counts(std::string_view text) {
  std::map<std::string, std::int64_t> cells;
  bool inside = false;
  for (const std::string& line : split(text, '\n')) {
    if (line.find("Number of cells:") != std::string::npos) {
      inside = true;  // the last table is that of the top
      cells.clear();
      continue;
    }
    std::vector<std::string> words;
    for (std::string& word : split(line, ' '))
      if (!word.empty()) words.push_back(std::move(word));
    if (words.size() != 2 || !parse_int(words[1])) inside = false;
    if (inside) cells[words[0]] = *parse_int(words[1]);
  }
  return cells;
}

int read_path_length(std::string_view text) {
  constexpr std::string_view kMark = "(length=";
  const std::size_t at = text.rfind(kMark);
  if (at == std::string_view::npos) return 0;
  text.remove_prefix(at + kMark.size());
  return static_cast<int>(parse_int(text.substr(0, text.find(')'))).value_or(0));
}

Result<Synthesised> synthesise(const Netlist& netlist, const std::filesystem::path& folder,
                               const SynthesisTarget& target, bool abc9) {
  Synthesised result;
  std::string files;
  for (const Module& module : netlist.modules) files += cat(" rtl/", module.name, ".sv");
  result.command = cat(target.command, abc9 && !target.maps_with_abc9 ? " -abc9" : "", " -top ",
                       netlist.top().name);
  const auto begin = std::chrono::steady_clock::now();
  CH_TRY(const ProgramResult ran,
         run_program({"yosys", "-q", "-p",
                      cat("read_verilog -sv", files, "; ", result.command,
                          "; tee -o stat.txt stat; tee -o path.txt ltp -noff")},
                     folder));
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  if (ran.code != 0) {
    Error error{.what = cat("yosys failed with code ", ran.code)};
    error.notes.push_back(std::string(trim(ran.output)));
    return error;
  }
  CH_TRY(const std::string stat, read_file(folder / "stat.txt"));
  CH_TRY(const std::string path, read_file(folder / "path.txt"));
  result.cells = read_cell_counts(stat);
  CH_CHECK(count(result, target));
  result.depth = read_path_length(path);
  CH_TRY(const ProgramResult version, run_program({"yosys", "-V"}, folder));
  result.version = std::string(trim(version.output));
  return result;
}

}  // namespace chop::hardware
