// emit_bram: the codes of every weight and bias as a file for $readmemh, and a ROM that reads it.
#include "hardware/adders/adder_graph.hpp"
#include "hardware/integer/op_def.hpp"
#include "passes/hardware_parts.hpp"
#include "support/text.hpp"

namespace chop::passes::emit_bram {
namespace {

constexpr std::string_view kRom = R"(// COUNT codes of WIDTH bits, two's complement: NAME
module NAME_rom #(
    parameter FILE = "NAME.dat"
) (
    input logic clk,
    input logic [ADDRESS:0] addr,
    output logic [TOP:0] data
);
  (* rom_style = "block" *) logic [TOP:0] memory[0:LAST];
  initial $readmemh(FILE, memory);
  always_ff @(posedge clk) data <= memory[addr];
endmodule
)";

int address_bits(std::size_t count) {
  return width_of({0, std::max<std::int64_t>(1, static_cast<std::int64_t>(count) - 1)});
}

void add_rom(const std::string& name, const Codes& codes, std::vector<SourceFile>& files) {
  Interval all{-1, 0};
  for (const std::int64_t code : codes) all = hull(all, {code, code});
  std::string data;
  for (const std::int64_t code : codes) {
    std::string bits;
    append_bits(code, all, bits);
    data += hexadecimal(std::move(bits)) + "\n";
  }
  files.push_back({cat("rtl/", name, ".dat"), std::move(data)});
  files.push_back(
      {cat("rtl/", name, "_rom.sv"), filled(kRom, {{"NAME", name},
                                                   {"COUNT", cat(codes.size())},
                                                   {"WIDTH", cat(width_of(all))},
                                                   {"ADDRESS", cat(address_bits(codes.size()) - 1)},
                                                   {"TOP", cat(width_of(all) - 1)},
                                                   {"LAST", cat(codes.size() - 1)}})});
}

Result<PassOutput> run(Graph& graph, const Args& args, const PassContext& context) {
  CH_TRY(const Circuit circuit, circuit_of(graph, args, context));
  std::vector<SourceFile> files;
  for (const IntegerNode& node : circuit.definition.nodes) {
    const IntegerOpDef& op = *find_integer_op(node.op);
    if (op.matrix == nullptr) continue;
    const LinearMap map = op.matrix(node);
    add_rom(cat(plain_name(node.name), "_weight"), map.weight, files);
    add_rom(cat(plain_name(node.name), "_bias"), map.bias, files);
  }
  PassOutput output;
  CH_CHECK(write_hardware(files, context, output));
  return output;
}

}  // namespace

PassDef define() {
  return {.name = "emit_bram",
          .doc = "write the codes of weights and biases to hardware/rtl, with a ROM for each",
          .details =
              "A matrix row by row, an entry a line. The circuits of `ch emit` hold their\n"
              "constants in their adders, tables or (folded) in ROMs of their own, and do\n"
              "not read these; they are for circuits of one's own.",
          .args = circuit_fields(),
          .run = run,
          .samples = quantised_samples()};
}

}  // namespace chop::passes::emit_bram
