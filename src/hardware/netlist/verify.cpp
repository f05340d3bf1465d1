// What printers and interpreters may rely on, proven cell by cell.
#include <set>

#include "hardware/netlist/affine_ranges.hpp"

namespace chop::hardware {
namespace {

constexpr int kAny = -1;  ///< of constants: they are the same in every cycle

class ModuleVerifier {
 public:
  ModuleVerifier(const Netlist& netlist, std::size_t index)
      : netlist_(netlist), index_(index), module_(netlist.modules[index]) {}

  Status run() {
    for (WireId i = 0; i < module_.cells.size(); ++i)
      if (Status status = cell(i); !status)
        return std::move(status).error().note(
            cat("wire '", module_.cells[i].name, "' of module ", module_.name));
    for (const Output& output : module_.outputs) {
      if (output.wire >= module_.cells.size())
        return Error{.what = cat("output '", output.name, "' has no wire")};
      if (!names_.insert(output.name).second)
        return Error{.what = cat("two wires or ports called '", output.name, "'")};
      const int cycles = cycles_[output.wire];
      if (cycles != kAny && cycles != module_.latency)
        return Error{.what = cat("output '", output.name, "' comes after ", cycles,
                                 " cycles, not after ", module_.latency)};
    }
    return {};
  }

 private:
  Status cell(WireId i) {
    const NetlistCell& cell = module_.cells[i];
    const CellDef& def = def_of(cell.kind);
    if (!names_.insert(cell.name).second) return Error{.what = "its name is taken"};
    if (cell.in.size() != def.inputs)
      return Error{.what = cat(def.name, " with ", cell.in.size(), " inputs")};
    std::vector<Interval> in;
    for (const WireId wire : cell.in) {
      if (wire >= i) return Error{.what = "reads a wire that comes after it"};
      in.push_back(module_.range(wire));
    }
    CH_TRY(const Interval interval, proven_range(cell, in));
    const Interval proven = affine_.add(module_, cell, interval);
    affine_.declare(cell.range);
    if (!cell.range.holds(proven))
      return Error{.what = cat("is in ", to_text(proven), ", not in ", to_text(cell.range))};
    if (!cell.range.is_bounded()) return Error{.what = "needs more than 61 bits"};
    CH_TRY(const int cycles, cycles_of(cell));
    cycles_.push_back(cycles);
    return {};
  }

  Result<Interval> proven_range(const NetlistCell& cell, std::span<const Interval> in) const {
    if (cell.kind == CellKind::Table) return table_range(cell, in[0]);
    if (cell.kind == CellKind::Result) return result_range(cell);
    if (cell.kind == CellKind::Concat && (in[1].low < 0 || width_of(in[1]) > cell.amount))
      return Error{.what = "its lower part has more bits than there is room for"};
    const CellDef& def = def_of(cell.kind);
    return def.range == nullptr ? cell.range : def.range(cell, in);
  }

  Result<Interval> table_range(const NetlistCell& cell, const Interval& in) const {
    if (cell.amount < 0 || static_cast<std::size_t>(cell.amount) >= module_.tables.size())
      return Error{.what = "has no such table"};
    const Rom& rom = module_.tables[static_cast<std::size_t>(cell.amount)];
    if (in.low < rom.first || in.high - rom.first >= std::ssize(rom.entries))
      return Error{.what = cat("its table has no entry for every value in ", to_text(in))};
    const auto [least, most] = std::minmax_element(rom.entries.begin(), rom.entries.end());
    return Interval{*least, *most};
  }

  Result<Interval> result_range(const NetlistCell& cell) const {
    if (cell.amount < 0 || static_cast<std::size_t>(cell.amount) >= module_.instances.size())
      return Error{.what = "has no such instance"};
    const Instance& instance = module_.instances[static_cast<std::size_t>(cell.amount)];
    if (instance.module >= index_) return Error{.what = "is of a module that comes later"};
    const Module& inner = netlist_.modules[instance.module];
    if (cell.port < 0 || static_cast<std::size_t>(cell.port) >= inner.outputs.size())
      return Error{.what = "is of an output that does not exist"};
    const std::vector<WireId> ports = inner.inputs();
    if (ports.size() != instance.in.size())
      return Error{.what = cat(instance.in.size(), " wires for ", ports.size(), " inputs")};
    for (std::size_t p = 0; p < ports.size(); ++p) {
      if (instance.in[p] >= cycles_.size()) return Error{.what = "its instance reads later wires"};
      if (!inner.range(ports[p]).holds(module_.range(instance.in[p])))
        return Error{.what = cat("input '", inner.cells[ports[p]].name, "' is given ",
                                 to_text(module_.range(instance.in[p])), ", and takes ",
                                 to_text(inner.range(ports[p])))};
    }
    return inner.range(inner.outputs[static_cast<std::size_t>(cell.port)].wire);
  }

  /// Cycles since the inputs of the module; an error where two paths differ.
  Result<int> cycles_of(const NetlistCell& cell) const {
    const bool is_result = cell.kind == CellKind::Result;
    const Instance* instance =
        is_result ? &module_.instances[static_cast<std::size_t>(cell.amount)] : nullptr;
    int cycles = cell.kind == CellKind::Input ? 0 : kAny;
    for (const WireId wire : is_result ? instance->in : cell.in) {
      const int own = cycles_[wire];
      if (own == kAny) continue;
      if (cycles != kAny && cycles != own)
        return Error{.what = cat("reads wires of ", cycles, " and of ", own, " cycles")};
      cycles = own;
    }
    if (cycles == kAny) return kAny;
    if (cell.kind == CellKind::Register) return cycles + 1;
    return is_result ? cycles + netlist_.modules[instance->module].latency : cycles;
  }

  const Netlist& netlist_;
  std::size_t index_;
  const Module& module_;
  AffineRanges affine_;
  std::set<std::string> names_;
  std::vector<int> cycles_;
};

}  // namespace

Status verify(const Netlist& netlist) {
  std::set<std::string> names;
  for (std::size_t i = 0; i < netlist.modules.size(); ++i) {
    if (!names.insert(netlist.modules[i].name).second)
      return Error{.what = cat("two modules called '", netlist.modules[i].name, "'")};
    CH_CHECK(ModuleVerifier(netlist, i).run());
  }
  if (netlist.modules.empty()) return Error{.what = "a netlist without modules"};
  return {};
}

}  // namespace chop::hardware
