#include <set>

#include "hardware/verilog/expressions.hpp"
#include "hardware/verilog/verilog.hpp"
#include "support/text.hpp"

namespace chop::hardware {
namespace {

class ModulePrinter {
 public:
  ModulePrinter(const Netlist& netlist, const Module& module) : netlist_(netlist), module_(module) {
    find_partial_sums();
  }

  std::string run() {
    for (const std::string& comment : module_.comments) text_ += cat("// ", comment, "\n");
    text_ += module_.latency == 0 ? std::string("// combinational\n")
                                  : cat("// latency ", module_.latency, ", a sample every cycle\n");
    // Rounding drops bits, and weights of zero leave inputs without a reader.
    text_ += "/* verilator lint_off UNUSED */\n";
    ports();
    for (const NetlistCell& cell : module_.cells) declare(cell);
    text_ += "\n";
    for (std::size_t i = 0; i < module_.instances.size(); ++i) instance(i);
    for (const NetlistCell& cell : module_.cells) drive(cell);
    text_ += "\n";
    for (const Output& output : module_.outputs)
      text_ += cat("  assign ", output.name, " = ", reference(module_, output.wire), ";\n");
    return text_ + "endmodule\n";
  }

 private:
  void ports() {
    std::vector<std::string> lines;
    if (module_.latency > 0) lines.emplace_back("  input  logic clk");
    if (module_.latency > 0 && netlist_.enable) lines.emplace_back("  input  logic en");
    for (const NetlistCell& cell : module_.cells)
      if (cell.kind == CellKind::Input)
        lines.push_back(cat("  input  ", declared_type(cell.range), " ", cell.name));
    for (const Output& output : module_.outputs)
      lines.push_back(
          cat("  output ", declared_type(module_.range(output.wire)), " ", output.name));
    text_ += cat("module ", module_.name, " (\n", join(lines, ",\n"), "\n);\n");
  }

  void declare(const NetlistCell& cell) {
    if (cell.kind == CellKind::Input || cell.kind == CellKind::Constant) return;
    text_ += cat("  ", declared_type(cell.range), " ", cell.name, ";\n");
  }

  void instance(std::size_t index) {
    const Instance& instance = module_.instances[index];
    const Module& inner = netlist_.modules[instance.module];
    std::vector<std::string> lines;
    if (inner.latency > 0) lines.emplace_back("    .clk(clk)");
    if (inner.latency > 0 && netlist_.enable) lines.emplace_back("    .en(en)");
    const std::vector<WireId> ports = inner.inputs();
    for (std::size_t i = 0; i < ports.size(); ++i)
      lines.push_back(cat("    .", inner.cells[ports[i]].name, "(",
                          given(instance.in[i], inner.range(ports[i])), ")"));
    for (const NetlistCell& cell : module_.cells)
      if (cell.kind == CellKind::Result && cell.amount == static_cast<std::int64_t>(index))
        lines.push_back(cat("    .", inner.outputs[static_cast<std::size_t>(cell.port)].name, "(",
                            cell.name, ")"));
    text_ += cat("  ", inner.name, " ", instance.name, " (\n", join(lines, ",\n"), "\n  );\n");
  }

  /// A wire as wide as the port it is connected to.
  std::string given(WireId wire, const Interval& port) const {
    const NetlistCell& cell = module_.cells[wire];
    if (cell.kind == CellKind::Constant) return literal(cell.amount, port);
    if (width_of(cell.range) == width_of(port)) return cell.name;
    return cat(width_of(port), "'(", cell.name, ")");
  }

  void drive(const NetlistCell& cell) {
    if (cell.kind == CellKind::Register)
      text_ += cat("  always_ff @(posedge clk) ", netlist_.enable ? "if (en) " : "", cell.name,
                   " <= ", reference(module_, cell.in[0]), ";\n");
    else if (cell.kind == CellKind::Table)
      table(cell);
    else if (partial_sums_.contains(cell.name))
      partial_sum(cell);
    else if (const auto assigned = expression(module_, cell))
      text_ += cat("  assign ", cell.name, " = ", *assigned, ";\n");
  }

  static bool is_sum(const NetlistCell& cell) {
    return cell.kind == CellKind::Add || cell.kind == CellKind::Sub;
  }

  /// Sums that only another sum reads. Not where products are left to the synthesiser.
  void find_partial_sums() {
    std::vector<int> readers(module_.cells.size());
    std::vector<bool> is_term(module_.cells.size());
    for (const NetlistCell& cell : module_.cells) {
      if (cell.kind == CellKind::Scale) return;
      for (const WireId wire : cell.in) {
        ++readers[wire];
        is_term[wire] = is_sum(cell);
      }
    }
    for (const Output& output : module_.outputs) ++readers[output.wire];
    for (WireId i = 0; i < module_.cells.size(); ++i)
      if (is_sum(module_.cells[i]) && readers[i] == 1 && is_term[i] &&
          width_of(module_.range(i)) > 1)
        partial_sums_.insert(module_.cells[i].name);
  }

  /// Yosys joins a sum with the one that reads it, and makes carry-save adders of three terms and
  /// more, which need up to twice the LUTs of carry chains. It sees no such sum where the lowest
  /// bit, which needs no carry, is computed by itself.
  void partial_sum(const NetlistCell& cell) {
    const int width = width_of(cell.range);
    text_ += cat("  logic [", width - 1, ":0] ", cell.name, "_sum;\n  assign ", cell.name,
                 "_sum = ", *expression(module_, cell), ";\n  assign ", cell.name, " = {",
                 cell.name, "_sum[", width - 1, ":1], ", lowest_bit(module_, cell.in[0]), " ^ ",
                 lowest_bit(module_, cell.in[1]), "};\n");
  }

  void table(const NetlistCell& cell) {
    const Rom& rom = module_.tables[static_cast<std::size_t>(cell.amount)];
    const Interval& in = module_.range(cell.in[0]);
    const std::int64_t mask = (std::int64_t{1} << width_of(in)) - 1;
    text_ += cat("  always_comb\n    case (", reference(module_, cell.in[0]), ")\n");
    for (std::int64_t i = 0; i < std::ssize(rom.entries); ++i) {
      const std::int64_t code = rom.first + i;
      if (!in.holds(code)) continue;
      text_ += cat("      ", width_of(in), "'d", code & mask, ": ", cell.name, " = ",
                   literal(rom.entries[static_cast<std::size_t>(i)], cell.range), ";\n");
    }
    text_ += cat("      default: ", cell.name, " = ", literal_any(cell.range), ";\n    endcase\n");
  }

  /// For values that the input never has.
  static std::string literal_any(const Interval& range) {
    return cat(width_of(range), "'b", std::string(static_cast<std::size_t>(width_of(range)), 'x'));
  }

  const Netlist& netlist_;
  const Module& module_;
  std::set<std::string> partial_sums_;
  std::string text_;
};

}  // namespace

std::vector<SourceFile> to_verilog(const Netlist& netlist) {
  std::vector<SourceFile> files;
  for (const Module& module : netlist.modules)
    files.push_back({cat(module.name, ".sv"), ModulePrinter(netlist, module).run()});
  return files;
}

}  // namespace chop::hardware
