// Greedy pipelining: cells are visited in order and stand in the stage of their latest operand; one
// that would make a path longer than the depth opens the next stage. With a depth of 2:
//   s = a + b    stage 0, level 1
//   t = s + c    stage 0, level 2
//   u = t + d    stage 1, level 1: t and d reach it through a register each
#include "hardware/netlist/pipeline.hpp"

#include <bit>
#include <set>

#include "hardware/adders/adder_graph.hpp"

namespace chop::hardware {
namespace {

int levels_for(std::size_t terms) {
  return static_cast<int>(std::bit_width(std::max<std::size_t>(1, terms) - 1));
}

}  // namespace

int levels_of(const Module& module, const NetlistCell& cell) {
  const auto width = [&](std::size_t i) { return width_of(module.range(cell.in[i])); };
  switch (cell.kind) {
    case CellKind::Add:
    case CellKind::Sub:
    case CellKind::Round:
    case CellKind::Less:
    case CellKind::Equal:
    case CellKind::Mux:
      return 1;
    case CellKind::Min:
    case CellKind::Max:
      return 2;
    case CellKind::Table:
      return std::max(1, width(0) - 5);
    case CellKind::Mul:
      return 1 + levels_for(static_cast<std::size_t>(std::min(width(0), width(1))));
    case CellKind::Scale:
      return levels_for(canonical_digits(cell.amount).size());
    default:
      return 0;
  }
}

std::vector<bool> tables_in_adders(const Module& module) {
  constexpr int kMostBits = 5;
  std::vector<int> readers(module.cells.size());
  std::vector<bool> inside(module.cells.size());
  for (const NetlistCell& cell : module.cells)
    for (std::size_t i = 0; i < cell.in.size(); ++i) {
      const NetlistCell& read = module.cells[cell.in[i]];
      ++readers[cell.in[i]];
      inside[cell.in[i]] = cell.kind == CellKind::Sub && i == 1 && read.kind == CellKind::Table &&
                           width_of(module.range(read.in[0])) <= kMostBits;
    }
  for (const Output& output : module.outputs) ++readers[output.wire];
  for (const Instance& instance : module.instances)
    for (const WireId wire : instance.in) ++readers[wire];
  for (std::size_t i = 0; i < inside.size(); ++i) inside[i] = inside[i] && readers[i] == 1;
  return inside;
}

/// Goes through the cells in order and puts registers where a stage is full.
class ModulePipeliner {
 public:
  ModulePipeliner(Pipeliner& all, const Module& from, int start) : all_(all), from_(from) {
    to_.name = from.name;
    to_.comments = from.comments;
    to_.tables = from.tables;
    start_ = start;
    for (const NetlistCell& cell : from.cells) names_.insert(cell.name);
    inside_ = tables_in_adders(from);
  }

  Pipeliner::Pipelined run() {
    results_.resize(from_.instances.size());
    for (const NetlistCell& cell : from_.cells) place(cell);
    Phase last;
    for (const Output& output : from_.outputs)
      if (!is_constant(output.wire)) last = std::max(last, phases_[output.wire]);
    for (const Output& output : from_.outputs)
      to_.outputs.push_back({output.name, at(output.wire, last.stage)});
    to_.latency = last.stage;
    return {std::move(to_), last.level};
  }

 private:
  bool is_constant(WireId old) const { return from_.cells[old].kind == CellKind::Constant; }

  WireId push(NetlistCell cell) {
    to_.cells.push_back(std::move(cell));
    return static_cast<WireId>(to_.cells.size() - 1);
  }

  /// A wire in a later stage than its own.
  WireId at(WireId old, int stage) {
    WireId wire = moved_[old];
    if (is_constant(old)) return wire;
    if (inside_[old]) {  // it stands where the adder does
      NetlistCell table = from_.cells[old];
      table.in[0] = at(table.in[0], stage);
      return push(std::move(table));
    }
    for (int s = phases_[old].stage + 1; s <= stage; ++s) {
      const auto key = std::pair(old, s);
      const auto found = delayed_.find(key);
      if (found != delayed_.end()) {
        wire = found->second;
        continue;
      }
      NetlistCell cell{.kind = CellKind::Register, .in = {wire}, .range = from_.range(old)};
      cell.name = cat(from_.cells[old].name, "_s", s);
      while (!names_.insert(cell.name).second) cell.name += "_";
      wire = push(std::move(cell));
      delayed_[key] = wire;
    }
    return wire;
  }

  /// When all of these are there.
  Phase join(std::span<const WireId> wires) const {
    Phase phase;
    for (const WireId wire : wires)
      if (!is_constant(wire)) phase = std::max(phase, phases_[wire]);
    return phase;
  }

  void place(const NetlistCell& cell) {
    if (cell.kind == CellKind::Result) return place_result(cell);
    if (inside_[moved_.size()]) {
      phases_.push_back(join(cell.in));
      moved_.push_back(0);
      return;
    }
    Phase phase = cell.kind == CellKind::Input ? Phase{0, start_} : join(cell.in);
    const int levels = levels_of(from_, cell);
    if (phase.level > 0 && levels > 0 && phase.level + levels > all_.depth_)
      phase = {phase.stage + 1, 0};
    NetlistCell made = cell;
    for (WireId& wire : made.in) wire = at(wire, phase.stage);
    phase.level += levels;
    moved_.push_back(push(std::move(made)));
    phases_.push_back(phase);
  }

  struct Placed {
    bool done = false;
    std::int64_t index = 0;
    Phase phase = {};
  };

  void place_result(const NetlistCell& cell) {
    Placed& placed = results_[static_cast<std::size_t>(cell.amount)];
    if (!placed.done) {
      const Instance& old = from_.instances[static_cast<std::size_t>(cell.amount)];
      const Phase phase = join(old.in);
      const Pipeliner::Known inner = all_.inner(old.module, phase.level);
      Instance made{.name = old.name, .module = inner.module};
      for (const WireId wire : old.in) made.in.push_back(at(wire, phase.stage));
      const int latency = all_.netlist_.modules[inner.module].latency;
      placed = {.done = true,
                .index = std::ssize(to_.instances),
                .phase = {phase.stage + latency, inner.level}};
      to_.instances.push_back(std::move(made));
    }
    NetlistCell made = cell;
    made.amount = placed.index;
    moved_.push_back(push(std::move(made)));
    phases_.push_back(placed.phase);
  }

  Pipeliner& all_;
  const Module& from_;
  Module to_;
  int start_ = 0;
  std::vector<WireId> moved_;  ///< by wire of the old module
  std::vector<Phase> phases_;  ///< likewise
  std::map<std::pair<WireId, int>, WireId> delayed_;
  std::vector<Placed> results_;  ///< by instance
  std::set<std::string> names_;
  std::vector<bool> inside_;  ///< see tables_in_adders()
};

Pipeliner::Pipelined Pipeliner::run(const Module& module, int start) {
  return ModulePipeliner(*this, module, start).run();
}

const Pipeliner::Known& Pipeliner::inner(std::size_t module, int start) {
  const auto key = std::pair(module, start);
  if (const auto found = known_.find(key); found != known_.end()) return found->second;
  const Module copy = netlist_.modules[module];
  Pipelined made = run(copy, start);
  made.module.name = cat(copy.name, "_from_", start);
  netlist_.modules.push_back(std::move(made.module));
  return known_[key] = {netlist_.modules.size() - 1, made.level};
}

namespace {

constexpr int kNone = std::numeric_limits<int>::min() / 2;  ///< there is no such path

/// Most levels of logic on the paths of a module.
struct Depths {
  int through = kNone;  ///< from an input to an output, without a register
  int in = kNone;       ///< from an input to a register
  int out = kNone;      ///< from a register to an output
  int between = 0;      ///< from a register to another

  int most() const { return std::max(std::max(through, in), std::max(out, between)); }
};

/// Levels in front of a wire, since the inputs and since the last registers.
struct Reached {
  int from_input = kNone;
  int from_register = kNone;

  void join(const Reached& other) {
    from_input = std::max(from_input, other.from_input);
    from_register = std::max(from_register, other.from_register);
  }
};

class DepthCount {
 public:
  DepthCount(const Module& module, std::span<const Depths> known)
      : module_(module), known_(known) {}

  Depths run() {
    const std::vector<bool> inside = tables_in_adders(module_);
    for (const NetlistCell& cell : module_.cells)
      reached_.push_back(of(cell, inside[reached_.size()]));
    for (const Output& output : module_.outputs) {
      depths_.through = std::max(depths_.through, reached_[output.wire].from_input);
      depths_.out = std::max(depths_.out, reached_[output.wire].from_register);
    }
    return depths_;
  }

 private:
  Reached of(const NetlistCell& cell, bool is_inside) {
    if (cell.kind == CellKind::Input) return {.from_input = 0};
    Reached before;
    if (cell.kind == CellKind::Result) {
      const Instance& instance = module_.instances[static_cast<std::size_t>(cell.amount)];
      for (const WireId wire : instance.in) before.join(reached_[wire]);
      const Depths& inner = known_[instance.module];
      ends(before, inner.in);
      depths_.between = std::max(depths_.between, inner.between);
      return {.from_input = before.from_input + inner.through,
              .from_register = std::max(before.from_register + inner.through, inner.out)};
    }
    for (const WireId wire : cell.in) before.join(reached_[wire]);
    if (cell.kind == CellKind::Register) {
      ends(before, 0);
      return {.from_register = 0};
    }
    const int levels = is_inside ? 0 : levels_of(module_, cell);
    return {.from_input = before.from_input + levels,
            .from_register = before.from_register + levels};
  }

  /// Paths that end at a register, so many levels further on.
  void ends(const Reached& before, int more) {
    depths_.in = std::max(depths_.in, before.from_input + more);
    depths_.between = std::max(depths_.between, before.from_register + more);
  }

  const Module& module_;
  std::span<const Depths> known_;
  std::vector<Reached> reached_;
  Depths depths_;
};

std::vector<Depths> all_depths(const Netlist& netlist) {
  std::vector<Depths> known;
  for (const Module& module : netlist.modules) known.push_back(DepthCount(module, known).run());
  return known;
}

}  // namespace

int logic_depth(const Netlist& netlist, const Module& module) {
  const std::vector<Depths> known = all_depths(netlist);
  return std::max(0, DepthCount(module, known).run().most());
}

int logic_depth(const Netlist& netlist) {
  return std::max(0, all_depths(netlist).back().most());
}

Netlist without_unused(Netlist netlist) {
  std::vector<bool> used(netlist.modules.size());
  used.back() = true;
  for (std::size_t i = netlist.modules.size(); i-- > 0;)
    if (used[i])
      for (const Instance& instance : netlist.modules[i].instances) used[instance.module] = true;
  std::vector<std::size_t> moved(netlist.modules.size());
  std::vector<Module> kept;
  for (std::size_t i = 0; i < netlist.modules.size(); ++i) {
    if (!used[i]) continue;
    moved[i] = kept.size();
    kept.push_back(std::move(netlist.modules[i]));
    for (Instance& instance : kept.back().instances) instance.module = moved[instance.module];
  }
  netlist.modules = std::move(kept);
  return netlist;
}

}  // namespace chop::hardware
