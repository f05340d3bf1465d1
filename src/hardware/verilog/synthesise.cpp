#include "hardware/verilog/synthesise.hpp"

#include <chrono>

#include "support/system/files.hpp"
#include "support/system/run_program.hpp"
#include "support/text.hpp"

namespace chop::hardware {
namespace {

std::int64_t sum_of(const std::map<std::string, std::int64_t>& cells, std::string_view start) {
  std::int64_t sum = 0;
  for (const auto& [name, count] : cells)
    if (name.starts_with(start)) sum += count;
  return sum;
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

Result<Synthesised> synthesise(const Netlist& netlist, const std::filesystem::path& folder,
                               bool abc9) {
  Synthesised result;
  std::string files;
  for (const Module& module : netlist.modules) files += cat(" rtl/", module.name, ".sv");
  result.command =
      cat("synth_xilinx -family xcup -flatten -nodsp -noiopad -noclkbuf -nobram -nolutram",
          abc9 ? " -abc9" : "", " -top ", netlist.top().name);
  const auto begin = std::chrono::steady_clock::now();
  CH_TRY(
      const ProgramResult ran,
      run_program({"yosys", "-q", "-p",
                   cat("read_verilog -sv", files, "; ", result.command, "; tee -o stat.txt stat")},
                  folder));
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  if (ran.code != 0) {
    Error error{.what = cat("yosys failed with code ", ran.code)};
    error.notes.push_back(std::string(trim(ran.output)));
    return error;
  }
  CH_TRY(const std::string stat, read_file(folder / "stat.txt"));
  result.cells = read_cell_counts(stat);
  if (result.cells.empty()) return Error{.what = "yosys counted no cells"};
  if (sum_of(result.cells, "RAM") > 0)
    return Error{.what = "yosys made memories of the tables, so that its LUTs mean nothing"};
  result.luts = sum_of(result.cells, "LUT") + sum_of(result.cells, "INV");
  result.registers = sum_of(result.cells, "FD");
  result.carries = sum_of(result.cells, "CARRY");
  result.muxes = sum_of(result.cells, "MUXF");
  CH_TRY(const ProgramResult version, run_program({"yosys", "-V"}, folder));
  result.version = std::string(trim(version.output));
  return result;
}

}  // namespace chop::hardware
