// A self-checking testbench, and the program around Verilator's model.
#include "hardware/verilog/expressions.hpp"
#include "hardware/verilog/verilog.hpp"
#include "support/text.hpp"

namespace chop::hardware {
namespace {

struct Port {
  std::string name;
  Interval range;
};

std::vector<Port> inputs_of(const Module& top) {
  std::vector<Port> ports;
  for (const WireId wire : top.inputs()) ports.push_back({top.cells[wire].name, top.range(wire)});
  return ports;
}

std::vector<Port> outputs_of(const Module& top) {
  std::vector<Port> ports;
  for (const Output& output : top.outputs) ports.push_back({output.name, top.range(output.wire)});
  return ports;
}

int total_width(std::span<const Port> ports) {
  int width = 0;
  for (const Port& port : ports) width += width_of(port.range);
  return width;
}

/// The samples as one word each, the first port in the lowest bits.
std::string words(std::span<const Port> ports, std::span<const std::vector<std::int64_t>> samples) {
  std::string text;
  for (const std::vector<std::int64_t>& sample : samples) {
    std::string bits;
    for (std::size_t p = 0; p < ports.size(); ++p) append_bits(sample[p], ports[p].range, bits);
    text += hexadecimal(std::move(bits)) + "\n";
  }
  return text;
}

/// ".x_0(given[7:0])" for every port, from a word that holds them all.
void connect(std::span<const Port> ports, std::string_view word, std::vector<std::string>& lines) {
  int low = 0;
  for (const Port& port : ports) {
    const int width = width_of(port.range);
    lines.push_back(cat("    .", port.name, "(", word, "[", low + width - 1, ":", low, "])"));
    low += width;
  }
}

/// C++ for one port: vectors hold int64, the model plain bits.
std::string harness_lines(std::span<const Port> ports, bool is_input) {
  std::string text;
  for (std::size_t i = 0; i < ports.size(); ++i) {
    const int width = width_of(ports[i].range);
    if (is_input)
      text += cat("  top.", ports[i].name, " = in[", i, "] & mask(", width, ");\n");
    else
      text += cat("  differing += top.", ports[i].name, " != (static_cast<std::uint64_t>(out[", i,
                  "]) & mask(", width, "));\n");
  }
  return text;
}

constexpr std::string_view kHarness =
    R"(// Runs the model on inputs.bin and compares every output with outputs.bin.
@INCLUDE@ <cstdint>
@INCLUDE@ <cstdio>
@INCLUDE@ <cstdlib>
@INCLUDE@ <memory>
@INCLUDE@ <vector>

@INCLUDE@ "V@TOP@.h"

namespace {

constexpr std::size_t kInputs = @INPUTS@;
constexpr std::size_t kOutputs = @OUTPUTS@;
constexpr std::size_t kLatency = @LATENCY@;

std::uint64_t mask(int width) {
  return width >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
}

std::vector<std::int64_t> read(const char* path) {
  std::FILE* file = std::fopen(path, "rb");
  if (file == nullptr) {
    std::fprintf(stderr, "cannot read %s\n", path);
    std::exit(1);
  }
  std::vector<std::int64_t> values;
  std::int64_t buffer[4096];
  for (std::size_t n; (n = std::fread(buffer, 8, 4096, file)) > 0;) values.insert(values.end(), buffer, buffer + n);
  std::fclose(file);
  return values;
}

void give(V@TOP@& top, const std::int64_t* in) {
@GIVE@}

std::uint64_t compare(const V@TOP@& top, const std::int64_t* out) {
  std::uint64_t differing = 0;
@COMPARE@  return differing;
}

void cycle(V@TOP@& top) {
@CYCLE@}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const std::vector<std::int64_t> in = read(argv[1]);
  const std::vector<std::int64_t> out = read(argv[2]);
  const std::size_t samples = in.size() / kInputs;
  if (samples == 0 || in.size() != samples * kInputs || out.size() != samples * kOutputs) {
    std::fprintf(stderr, "the vectors have the wrong size\n");
    return 1;
  }
  auto top = std::make_unique<V@TOP@>();
  std::uint64_t differing = 0;
  for (std::size_t t = 0; t < samples + kLatency; ++t) {
    give(*top, &in[(t < samples ? t : samples - 1) * kInputs]);
    top->eval();
    if (kLatency == 0) differing += compare(*top, &out[t * kOutputs]);
    if (kLatency > 0 && t >= kLatency) differing += compare(*top, &out[(t - kLatency) * kOutputs]);
    cycle(*top);
  }
  std::printf("%zu %zu %llu\n", samples, samples * kOutputs, static_cast<unsigned long long>(differing));
  return 0;
}
)";

constexpr std::string_view kTestbench =
    R"(// Gives a sample every cycle and compares every output @LATENCY@ cycles later.
// Vectors: +vectors=DIR, the current folder without it.
`timescale 1ns / 1ps
/* verilator lint_off UNUSED */
module @TOP@_tb;
  localparam int SAMPLES = @SAMPLES@;
  localparam int LATENCY = @LATENCY@;
  logic clk = 1'b0;
  logic [@IN@:0] inputs [0:SAMPLES-1];
  logic [@OUT@:0] outputs [0:SAMPLES-1];
  logic [@IN@:0] given;
  logic [@OUT@:0] made;
  string folder;
  int differing = 0;
  int compared = 0;

  @TOP@ dut (
@PORTS@
  );

  initial begin
    if (!$value$plusargs("vectors=%s", folder)) folder = ".";
    $readmemh({folder, "/inputs.hex"}, inputs);
    $readmemh({folder, "/outputs.hex"}, outputs);
    if ((^inputs[SAMPLES-1]) === 1'bx || (^outputs[SAMPLES-1]) === 1'bx)
      $fatal(1, "FAIL: no vectors in %s", folder);
    for (int t = 0; t < SAMPLES + LATENCY; t++) begin
      given = inputs[t < SAMPLES ? t : SAMPLES - 1];
      #1;
      if (t >= LATENCY) begin
        compared++;
        if (made !== outputs[t - LATENCY]) begin
          differing++;
          if (differing <= 10) $display("sample %0d: %h, not %h", t - LATENCY, made, outputs[t - LATENCY]);
        end
      end
      clk = 1'b1;
      #1;
      clk = 1'b0;
    end
    if (differing != 0 || compared != SAMPLES) $fatal(1, "FAIL %0d of %0d", differing, compared);
    $display("PASS %0d", compared);
    $finish;
  end
endmodule
)";

}  // namespace

Testbench to_testbench(const Netlist& netlist, std::span<const std::vector<std::int64_t>> inputs,
                       std::span<const std::vector<std::int64_t>> outputs) {
  const Module& top = netlist.top();
  const std::vector<Port> in = inputs_of(top);
  const std::vector<Port> out = outputs_of(top);
  std::vector<std::string> lines;
  if (top.latency > 0) lines.emplace_back("    .clk(clk)");
  connect(in, "given", lines);
  connect(out, "made", lines);
  return {.name = cat(top.name, "_tb"),
          .text = filled(kTestbench, {{"@TOP@", top.name},
                                      {"@SAMPLES@", std::to_string(inputs.size())},
                                      {"@LATENCY@", std::to_string(top.latency)},
                                      {"@IN@", std::to_string(total_width(in) - 1)},
                                      {"@OUT@", std::to_string(total_width(out) - 1)},
                                      {"@PORTS@", join(lines, ",\n")}}),
          .inputs = words(in, inputs),
          .outputs = words(out, outputs)};
}

std::string to_verilator_main(const Netlist& netlist) {
  const Module& top = netlist.top();
  const std::vector<Port> in = inputs_of(top);
  const std::vector<Port> out = outputs_of(top);
  return filled(
      kHarness,
      {{"@INCLUDE@", "#include"},
       {"@TOP@", top.name},
       {"@INPUTS@", std::to_string(in.size())},
       {"@OUTPUTS@", std::to_string(out.size())},
       {"@LATENCY@", std::to_string(top.latency)},
       {"@GIVE@", harness_lines(in, true)},
       {"@COMPARE@", harness_lines(out, false)},
       {"@CYCLE@", top.latency == 0
                       ? "  (void)top;\n"
                       : "  top.clk = 1;\n  top.eval();\n  top.clk = 0;\n  top.eval();\n"}});
}

}  // namespace chop::hardware
