#include "hardware/verilog/target.hpp"

#include "support/text.hpp"

namespace chop::hardware {
namespace {

// Tables behind registers would become memories, and LUT counts would mean nothing.
const std::array<SynthesisTarget, 3> kTargets = {{
    {.name = "xilinx",
     .doc = "UltraScale+",
     .command = "synth_xilinx -family xcup -flatten -nodsp -noiopad -noclkbuf -nobram -nolutram",
     .folded_command = "synth_xilinx -family xcup -flatten -noiopad -noclkbuf",
     .cells = "+/xilinx/cells_sim.v",
     .parts = {"xcu50", "xcu55", "xcu200", "xcu250", "xcu280", "xcvu", "xcku", "xczu", "xck26"},
     .luts = {"LUT", "INV"},
     .registers = {"FD"},
     .carries = {"CARRY"},
     .muxes = {"MUXF"},
     .dsps = {"DSP"},
     .memories = {"RAM", "URAM"},
     .free_bits = 5},
    {.name = "ice40",
     .doc = "Lattice iCE40",
     .command = "synth_ice40 -nobram",
     .folded_command = "synth_ice40",
     .cells = "+/ice40/cells_sim.v",
     .parts = {"ice40lp", "ice40hx", "ice40up", "lp384", "lp1k", "lp8k", "hx1k", "hx8k", "up3k",
               "up5k"},
     .luts = {"SB_LUT"},
     .registers = {"SB_DFF"},
     .carries = {"SB_CARRY"},
     .muxes = {},
     .dsps = {"SB_MAC16"},
     .memories = {"SB_RAM", "SB_SPRAM"},
     .placer = {.program = "nextpnr-ice40",
                .unconstrained = "--pcf-allow-unconstrained",
                .cell = "ICESTORM_LC",
                .hint = "apt-get install nextpnr-ice40",
                .devices = {{"hx8k", "hx8k", "--hx8k --package ct256"},
                            {"hx1k", "hx1k", "--hx1k --package tq144"},
                            {"lp8k", "lp8k", "--lp8k --package cm225"},
                            {"lp1k", "lp1k", "--lp1k --package cm121"},
                            {"lp384", "lp384", "--lp384 --package cm49"},
                            {"up5k", "up5k", "--up5k --package sg48"},
                            {"up3k", "up3k", "--up3k --package sg48"}}}},
    {.name = "ecp5",
     .doc = "Lattice ECP5",
     .command = "synth_ecp5 -nodsp -nobram -nolutram",
     .folded_command = "synth_ecp5",
     .cells = "+/ecp5/cells_sim.v",
     .parts = {"lfe5", "ecp5"},
     .luts = {"LUT"},
     .registers = {"TRELLIS_FF"},
     .carries = {"CCU2C"},
     .muxes = {"PFUMX", "L6MUX"},
     .dsps = {"MULT18", "ALU54"},
     .memories = {"DP16KD", "TRELLIS_DPR", "PDPW"},
     .luts_per_carry = 2,
     .maps_with_abc9 = true,
     .placer = {.program = "nextpnr-ecp5",
                .unconstrained = "--lpf-allow-unconstrained",
                .cell = "TRELLIS_COMB",
                .hint = "Debian 13 has the package nextpnr-ecp5, Debian 12 has none",
                .devices = {{"lfe5-85", "-85", "--85k --package CABGA756"},
                            {"lfe5-45", "-45", "--45k --package CABGA554"},
                            {"lfe5-25", "-25", "--25k --package CABGA381"},
                            {"lfe5-12", "-12", "--12k --package CABGA381"}}}},
}};

/// From the data sheets, by the beginnings of parts' names.
constexpr std::array<std::pair<std::string_view, std::int64_t>, 21> kLuts = {{
    {"xcu50", 871'680},    {"xcu55", 1'303'680},  {"xcu200", 1'182'240},  {"xcu250", 1'728'000},
    {"xcu280", 1'303'680}, {"xcvu9p", 1'182'240}, {"xcvu13p", 1'728'000}, {"xck26", 117'120},
    {"lfe5u-12", 24'288},  {"lfe5u-25", 24'288},  {"lfe5u-45", 43'848},   {"lfe5u-85", 83'640},
    {"ice40lp1k", 1'280},  {"ice40hx1k", 1'280},  {"ice40lp8k", 7'680},   {"ice40hx8k", 7'680},
    {"ice40up5k", 5'280},  {"hx1k", 1'280},       {"hx8k", 7'680},        {"lp8k", 7'680},
    {"up5k", 5'280},
}};

}  // namespace

std::optional<std::int64_t> luts_of_part(std::string_view part) {
  const std::string wanted = lower_case(part);
  for (const auto& [start, luts] : kLuts)
    if (wanted.starts_with(start)) return luts;
  return {};
}

std::span<const SynthesisTarget> all_targets() {
  return kTargets;
}

Result<const SynthesisTarget*> find_target(std::string_view part) {
  const std::string wanted = lower_case(part);
  std::vector<std::string> known;
  for (const SynthesisTarget& target : kTargets) {
    if (wanted == target.name) return &target;
    for (const std::string_view start : target.parts)
      if (wanted.starts_with(start)) return &target;
    known.push_back(
        cat(target.name, " (", target.doc, ": ",
            join(std::vector<std::string>(target.parts.begin(), target.parts.end()), "*, "), "*)"));
  }
  return Error{.what = cat("unknown FPGA '", part, "'"),
               .hint = cat("known are ", join(known, "; "))};
}

}  // namespace chop::hardware
