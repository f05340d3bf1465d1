#include "hardware/netlist/netlist.hpp"

namespace chop::hardware {

std::vector<std::int64_t> NetlistInterpreter::run(std::size_t index,
                                                  std::span<const std::int64_t> inputs) const {
  const Module& module = netlist_.modules[index];
  std::vector<std::int64_t> values(module.cells.size());
  std::vector<std::vector<std::int64_t>> results(module.instances.size());
  std::size_t next = 0;
  for (WireId i = 0; i < module.cells.size(); ++i) {
    const NetlistCell& cell = module.cells[i];
    std::array<std::int64_t, 3> in = {};
    for (std::size_t k = 0; k < cell.in.size(); ++k) in[k] = values[cell.in[k]];
    if (cell.kind == CellKind::Input) {
      values[i] = inputs[next++];
    } else if (cell.kind == CellKind::Table) {
      const Rom& rom = module.tables[static_cast<std::size_t>(cell.amount)];
      values[i] = rom.entries[static_cast<std::size_t>(in[0] - rom.first)];
    } else if (cell.kind == CellKind::Result) {
      std::vector<std::int64_t>& made = results[static_cast<std::size_t>(cell.amount)];
      if (made.empty()) {
        const Instance& instance = module.instances[static_cast<std::size_t>(cell.amount)];
        std::vector<std::int64_t> given;
        for (const WireId wire : instance.in) given.push_back(values[wire]);
        made = run(instance.module, given);
      }
      values[i] = made[static_cast<std::size_t>(cell.port)];
    } else {
      values[i] = def_of(cell.kind).evaluate(cell, in);
    }
  }
  std::vector<std::int64_t> outputs;
  for (const Output& output : module.outputs) outputs.push_back(values[output.wire]);
  return outputs;
}

namespace {

void add(CellCounts& to, const CellCounts& more) {
  to.adders += more.adders;
  to.adder_bits += more.adder_bits;
  to.tables += more.tables;
  to.table_bits += more.table_bits;
  to.compares += more.compares;
  to.muxes += more.muxes;
  to.registers += more.registers;
  to.adder_depth = std::max(to.adder_depth, more.adder_depth);
}

void count_cell(const Module& module, const NetlistCell& cell, CellCounts& counts) {
  const int width = width_of(cell.range);
  const bool is_adder = cell.kind == CellKind::Add || cell.kind == CellKind::Sub;
  const bool is_min = cell.kind == CellKind::Min || cell.kind == CellKind::Max;
  counts.adders += is_adder ? 1 : 0;
  counts.adder_bits += is_adder ? width : 0;
  counts.compares += is_min || cell.kind == CellKind::Less || cell.kind == CellKind::Equal ? 1 : 0;
  counts.muxes += is_min || cell.kind == CellKind::Mux ? 1 : 0;
  counts.registers += cell.kind == CellKind::Register ? width : 0;
  if (cell.kind != CellKind::Table) return;
  counts.tables += 1;
  counts.table_bits +=
      width * std::ssize(module.tables[static_cast<std::size_t>(cell.amount)].entries);
}

}  // namespace

CellCounts count_cells(const Netlist& netlist) {
  std::vector<CellCounts> all;
  for (const Module& module : netlist.modules) {
    CellCounts counts;
    std::vector<int> depth;
    for (const NetlistCell& cell : module.cells) {
      int before = 0;
      for (const WireId wire : cell.in) before = std::max(before, depth[wire]);
      const bool is_adder = cell.kind == CellKind::Add || cell.kind == CellKind::Sub;
      depth.push_back(cell.kind == CellKind::Register ? 0 : before + (is_adder ? 1 : 0));
      counts.adder_depth = std::max(counts.adder_depth, depth.back());
      count_cell(module, cell, counts);
    }
    for (const Instance& instance : module.instances) add(counts, all[instance.module]);
    all.push_back(counts);
  }
  return all.back();
}

}  // namespace chop::hardware
