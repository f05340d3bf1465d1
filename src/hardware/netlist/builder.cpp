#include "hardware/netlist/builder.hpp"

namespace chop::hardware {

WireId ModuleBuilder::push(NetlistCell cell) {
  const auto id = static_cast<WireId>(module_.cells.size());
  if (cell.name.empty()) cell.name = cat("w_", id);
  cell.range = affine_.add(module_, cell, cell.range);
  names_.emplace(cell.name, id);
  module_.cells.push_back(std::move(cell));
  return id;
}

WireId ModuleBuilder::make(CellKind kind, std::vector<WireId> in, std::int64_t amount,
                           const Interval& given) {
  const auto key = std::make_tuple(kind, in, amount, given.high);
  if (const auto found = known_.find(key); found != known_.end()) return found->second;
  std::vector<Interval> ranges;
  for (const WireId wire : in) ranges.push_back(range(wire));
  NetlistCell cell{.kind = kind, .in = std::move(in), .amount = amount, .range = given};
  cell.range = def_of(kind).range(cell, ranges);
  if (cell.range.is_constant() && kind != CellKind::Constant && cell.range.is_bounded())
    return constant(cell.range.low);
  const WireId id = push(std::move(cell));
  known_.emplace(key, id);
  return id;
}

WireId ModuleBuilder::input(std::string name, const Interval& range) {
  return push({.kind = CellKind::Input, .range = range, .name = std::move(name)});
}

WireId ModuleBuilder::constant(std::int64_t value) {
  return make(CellKind::Constant, {}, value);
}

WireId ModuleBuilder::add(WireId a, WireId b) {
  if (range(a) == Interval{}) return b;
  if (range(b) == Interval{}) return a;
  return make(CellKind::Add, {std::min(a, b), std::max(a, b)});
}

WireId ModuleBuilder::sub(WireId a, WireId b) {
  if (range(b) == Interval{}) return a;
  return a == b ? constant(0) : make(CellKind::Sub, {a, b});
}

WireId ModuleBuilder::mul(WireId a, WireId b) {
  if (range(b).is_constant()) return scale(a, range(b).low);
  if (range(a).is_constant()) return scale(b, range(a).low);
  return make(CellKind::Mul, {std::min(a, b), std::max(a, b)});
}

WireId ModuleBuilder::scale(WireId a, std::int64_t factor) {
  if (factor == 0) return constant(0);
  return factor == 1 ? a : make(CellKind::Scale, {a}, factor);
}

WireId ModuleBuilder::shift(WireId a, int amount) {
  return amount == 0 ? a : make(CellKind::Shift, {a}, amount);
}

WireId ModuleBuilder::round(WireId a, int amount) {
  return amount <= 0 ? shift(a, -amount) : make(CellKind::Round, {a}, amount);
}

WireId ModuleBuilder::bits(WireId a, int low, int width) {
  const Interval all{0, (std::int64_t{1} << width) - 1};
  assert((!range(a).is_signed() || width_of(range(a)) >= low + width) && "the bits are there");
  if (range(a).is_constant()) return constant(range(a).low >> low & all.high);
  return low == 0 && all.holds(range(a)) ? a : make(CellKind::Slice, {a}, low, all);
}

WireId ModuleBuilder::concat(WireId a, WireId b, int width) {
  return make(CellKind::Concat, {a, b}, width);
}

WireId ModuleBuilder::less(WireId a, WireId b) {
  return make(CellKind::Less, {a, b});
}

WireId ModuleBuilder::min(WireId a, WireId b) {
  if (range(a).high <= range(b).low) return a;
  if (range(b).high <= range(a).low) return b;
  return make(CellKind::Min, {a, b});
}

WireId ModuleBuilder::max(WireId a, WireId b) {
  if (range(a).low >= range(b).high) return a;
  if (range(b).low >= range(a).high) return b;
  return make(CellKind::Max, {a, b});
}

WireId ModuleBuilder::clamp(WireId a, const Interval& to) {
  if (to.holds(range(a))) return a;
  return max(min(a, constant(to.high)), constant(to.low));
}

WireId ModuleBuilder::mux(WireId condition, WireId then, WireId otherwise) {
  if (range(condition).low > 0 || then == otherwise) return then;
  if (range(condition) == Interval{}) return otherwise;
  return make(CellKind::Mux, {condition, then, otherwise});
}

WireId ModuleBuilder::table(WireId a, Rom rom) {
  const Interval in = range(a);
  assert(in.low >= rom.first && in.high - rom.first < std::ssize(rom.entries) &&
         "a table has an entry for every value of its input");
  // Only what the input can be.
  const auto begin = rom.entries.begin() + (in.low - rom.first);
  rom.entries = std::vector<std::int64_t>(begin, begin + (in.high - in.low + 1));
  rom.first = in.low;
  const auto [least, most] = std::minmax_element(rom.entries.begin(), rom.entries.end());
  const Interval out{*least, *most};
  if (out.is_constant()) return constant(out.low);
  const auto found = std::find(module_.tables.begin(), module_.tables.end(), rom);
  const auto index = found - module_.tables.begin();
  if (found == module_.tables.end()) module_.tables.push_back(std::move(rom));
  const auto key = std::make_tuple(CellKind::Table, std::vector<WireId>{a}, std::int64_t{index},
                                   std::int64_t{0});
  if (const auto known = known_.find(key); known != known_.end()) return known->second;
  const WireId id = push({.kind = CellKind::Table, .in = {a}, .amount = index, .range = out});
  known_.emplace(key, id);
  return id;
}

WireId ModuleBuilder::registered(WireId a) {
  return range(a).is_constant() ? constant(range(a).low) : make(CellKind::Register, {a});
}

std::vector<WireId> ModuleBuilder::instance(std::string name, const Netlist& netlist,
                                            std::size_t module, std::vector<WireId> in) {
  const Module& inner = netlist.modules[module];
  const std::int64_t index = std::ssize(module_.instances);
  std::vector<WireId> results;
  module_.instances.push_back({name, module, std::move(in)});
  for (std::size_t i = 0; i < inner.outputs.size(); ++i)
    results.push_back(push({.kind = CellKind::Result,
                            .amount = index,
                            .port = static_cast<std::int64_t>(i),
                            .range = inner.range(inner.outputs[i].wire),
                            .name = cat(name, "_", inner.outputs[i].name)}));
  return results;
}

void ModuleBuilder::rename(WireId wire, const std::string& name) {
  NetlistCell& cell = module_.cells[wire];
  if (cell.name != cat("w_", wire) || !names_.emplace(name, wire).second) return;
  names_.erase(cell.name);
  cell.name = name;
}

Module ModuleBuilder::finish(int latency) && {
  std::vector<bool> needed(module_.cells.size());
  std::vector<bool> visited(module_.instances.size());
  std::vector<WireId> worklist;
  const auto need = [&](WireId wire) {
    if (!needed[wire]) worklist.push_back(wire);
    needed[wire] = true;
  };
  for (const Output& output : module_.outputs) need(output.wire);
  // Instances stay where nothing reads them, and have their inputs.
  for (WireId i = 0; i < module_.cells.size(); ++i)
    if (module_.cells[i].kind == CellKind::Result) need(i);
  while (!worklist.empty()) {
    const NetlistCell& cell = module_.cells[worklist.back()];
    worklist.pop_back();
    for (const WireId wire : cell.in) need(wire);
    if (cell.kind != CellKind::Result) continue;
    const auto instance = static_cast<std::size_t>(cell.amount);
    if (!visited[instance])
      for (const WireId wire : module_.instances[instance].in) need(wire);
    visited[instance] = true;
  }
  Module module = std::move(module_);
  std::vector<WireId> moved(module.cells.size());
  std::vector<NetlistCell> kept;
  for (WireId i = 0; i < module.cells.size(); ++i) {
    if (!needed[i] && module.cells[i].kind != CellKind::Input) continue;
    moved[i] = static_cast<WireId>(kept.size());
    kept.push_back(std::move(module.cells[i]));
    for (WireId& wire : kept.back().in) wire = moved[wire];
  }
  module.cells = std::move(kept);
  for (Instance& instance : module.instances)
    for (WireId& wire : instance.in) wire = moved[wire];
  for (Output& output : module.outputs) output.wire = moved[output.wire];
  module.latency = latency;
  return module;
}

}  // namespace chop::hardware
