#include "hardware/cost/parts.hpp"

#include "hardware/adders/adder_graph.hpp"
#include "hardware/netlist/pipeline.hpp"

namespace chop::hardware {
namespace {

constexpr int kMostTableBits = 10;  ///< wider functions are not looked up value by value
constexpr double kCarryBits = 4;
constexpr double kGroupBits = 6;  ///< of a comparison

class PartCounter {
 public:
  PartCounter(const Module& module, const std::vector<bool>& live)
      : module_(module),
        live_(live),
        inside_(tables_in_adders(module)),
        info_(module.cells.size()) {}

  CostParts run() {
    find_readers();
    for (WireId i = 0; i < module_.cells.size(); ++i)
      if (live_[i]) visit(i);
    for (WireId i = 0; i < module_.cells.size(); ++i)
      if (live_[i] && info_[i].is_function && info_[i].leaves && !info_[i].is_wiring)
        count_function(i);
    return parts_;
  }

 private:
  /// What is known of a wire.
  struct Info {
    int zeros = 0;  ///< low bits that are always 0
    bool is_function =
        false;               ///< of the one wire `root`, by `results` for each of its bit patterns
    bool is_wiring = false;  ///< that function only moves bits
    WireId root = 0;
    std::vector<std::int64_t> results = {};
    bool leaves = false;         ///< read by what is not such a function, or an output
    bool is_clamped_on = false;  ///< a limit that only another limit reads
  };

  const NetlistCell& cell(WireId i) const { return module_.cells[i]; }
  const Interval& range(WireId i) const { return module_.range(i); }
  int width(WireId i) const { return width_of(range(i)); }
  bool is_constant(WireId i) const { return cell(i).kind == CellKind::Constant; }

  void find_readers() {
    std::vector<int> readers(module_.cells.size());
    std::vector<bool> is_limit(module_.cells.size());
    const auto limits = [](const NetlistCell& c) {
      return c.kind == CellKind::Min || c.kind == CellKind::Max;
    };
    for (WireId i = 0; i < module_.cells.size(); ++i)
      for (const WireId wire : cell(i).in) {
        if (!live_[i]) continue;
        ++readers[wire];
        is_limit[wire] = limits(cell(i));
      }
    for (const Output& output : module_.outputs) {
      ++readers[output.wire];
      info_[output.wire].leaves = true;
    }
    for (const Instance& instance : module_.instances)
      for (const WireId wire : instance.in) {
        ++readers[wire];
        info_[wire].leaves = true;
      }
    for (WireId i = 0; i < module_.cells.size(); ++i)
      info_[i].is_clamped_on = limits(cell(i)) && readers[i] == 1 && is_limit[i];
  }

  void visit(WireId i) {
    const NetlistCell& c = cell(i);
    find_zeros(i);
    if (make_function(i)) return;
    for (const WireId wire : c.in) info_[wire].leaves = info_[wire].leaves || !inside_[wire];
    switch (c.kind) {
      case CellKind::Add:
      case CellKind::Sub:
        return sum(i);
      case CellKind::Scale:
        return product(i);
      case CellKind::Round:
        return round(i);
      case CellKind::Less:
      case CellKind::Equal:
        parts_.compares += compare(c.in[0], c.in[1]);
        return;
      case CellKind::Min:
      case CellKind::Max:
        return limit(i);
      case CellKind::Mux:
        parts_.selects += width(i);
        return;
      case CellKind::Table:
        return table(i);
      default:
        return;
    }
  }

  void find_zeros(WireId i) {
    const NetlistCell& c = cell(i);
    int& zeros = info_[i].zeros;
    const auto of = [&](std::size_t k) { return info_[c.in[k]].zeros; };
    if (c.kind == CellKind::Constant)
      while (zeros < 61 && (c.amount >> zeros & 1) == 0) ++zeros;
    else if (c.kind == CellKind::Shift)
      zeros = std::clamp(of(0) + static_cast<int>(c.amount), 0, 61);
    else if (c.kind == CellKind::Add || c.kind == CellKind::Sub)
      zeros = std::min(of(0), of(1));
    else if (c.kind == CellKind::Register)
      zeros = of(0);
    else if (inside_[i])
      zeros = zeros_of_table(c);
  }

  int zeros_of_table(const NetlistCell& c) const {
    std::int64_t all = 0;
    for (const std::int64_t entry : module_.tables[static_cast<std::size_t>(c.amount)].entries)
      all |= entry;
    int zeros = 0;
    while (zeros < 61 && (all >> zeros & 1) == 0) ++zeros;
    return zeros;
  }

  /// Cells without carries of their own, over one wire of few bits.
  bool make_function(WireId i) {
    const NetlistCell& c = cell(i);
    const CellDef& def = def_of(c.kind);
    if (c.in.empty() || c.kind == CellKind::Add || c.kind == CellKind::Sub ||
        c.kind == CellKind::Scale || c.kind == CellKind::Register || c.kind == CellKind::Round)
      return false;
    std::optional<WireId> root;
    for (const WireId wire : c.in) {
      if (is_constant(wire)) continue;
      const WireId own = info_[wire].is_function ? info_[wire].root : wire;
      if (root && *root != own) return false;
      root = own;
    }
    if (!root || width(*root) > kMostTableBits) return false;
    Info& info = info_[i];
    info.is_function = true;
    info.root = *root;
    info.is_wiring = (c.kind == CellKind::Shift || c.kind == CellKind::Slice) &&
                     (!info_[c.in[0]].is_function || info_[c.in[0]].is_wiring);
    for (std::size_t pattern = 0; pattern < patterns(*root); ++pattern) {
      std::array<std::int64_t, 3> in = {};
      for (std::size_t k = 0; k < c.in.size(); ++k) in[k] = value(c.in[k], *root, pattern);
      info.results.push_back(c.kind == CellKind::Table ? entry(c, in[0]) : def.evaluate(c, in));
    }
    return true;
  }

  std::size_t patterns(WireId root) const {
    return std::size_t{1} << static_cast<unsigned>(width(root));
  }

  /// Of a table; codes that never occur have a neighbour's entry.
  std::int64_t entry(const NetlistCell& c, std::int64_t x) const {
    const Rom& rom = module_.tables[static_cast<std::size_t>(c.amount)];
    const std::int64_t at = std::clamp<std::int64_t>(x - rom.first, 0, std::ssize(rom.entries) - 1);
    return rom.entries[static_cast<std::size_t>(at)];
  }

  std::int64_t value(WireId wire, WireId root, std::size_t pattern) const {
    if (is_constant(wire)) return cell(wire).amount;
    if (wire != root) return info_[wire].results[pattern];
    const auto code = static_cast<std::int64_t>(pattern);
    const auto count = static_cast<std::int64_t>(patterns(root));
    return range(root).is_signed() && code >= count / 2 ? code - count : code;
  }

  void count_function(WireId i) {
    parts_.functions += function_luts(info_[i].results, width(info_[i].root), width(i));
  }

  /// A bit of an operand of a sum.
  enum class Bit : std::uint8_t { Zero, One, Own, Sign };
  Bit bit(WireId wire, int at) const {
    if (is_constant(wire))
      return (cell(wire).amount >> std::min(at, 62) & 1) != 0 ? Bit::One : Bit::Zero;
    if (at < info_[wire].zeros) return Bit::Zero;
    if (range(wire).high < 0 && at >= width(wire) - 1) return Bit::One;
    if (at < width(wire)) return Bit::Own;
    return range(wire).is_signed() ? Bit::Sign : Bit::Zero;
  }

  void sum(WireId i) {
    const NetlistCell& c = cell(i);
    const bool is_sub = c.kind == CellKind::Sub;
    const WireId a = c.in[0];
    const WireId b = c.in[1];
    // Below the lowest bit of the operand that is added or taken away there is nothing to do.
    const int low = is_sub ? info_[b].zeros : std::max(info_[a].zeros, info_[b].zeros);
    bool had_signs = false;
    for (int at = low; at < width(i); ++at) {
      const Bit x = bit(a, at);
      const Bit y = bit(b, at);
      const bool x_is_fixed = x == Bit::Zero || x == Bit::One;
      const bool y_is_fixed = y == Bit::Zero || y == Bit::One;
      if (x_is_fixed && y_is_fixed) continue;
      if (x_is_fixed && inside_[b]) {
        parts_.sums += 1;
        continue;
      }
      if (x_is_fixed || y_is_fixed) {
        const bool is_turned = ((x_is_fixed ? x : y) == Bit::One) != is_sub;
        parts_.inverters += is_turned ? 1 : 0;
      } else if (x == Bit::Sign && y == Bit::Sign) {
        parts_.sums += had_signs ? 0 : 1;
        had_signs = true;
      } else {
        parts_.sums += 1;
      }
    }
    parts_.carries += std::ceil(std::max(0, width(i) - low) / kCarryBits);
  }

  /// Rows of a multiplication by a constant.
  void product(WireId i) {
    const std::int64_t factor = cell(i).amount;
    const int bits =
        width_of({std::min<std::int64_t>(factor, 0), std::max<std::int64_t>(factor, 0)});
    int rows = 0;
    for (int b = 0; b < bits; ++b) rows += (factor >> b & 1) != 0 ? 1 : 0;
    parts_.products += rows * width(cell(i).in[0]);
  }

  void round(WireId i) {
    const auto amount = static_cast<double>(cell(i).amount);
    parts_.rounds += 2 + std::floor(std::max(0.0, amount - 2) / (kGroupBits - 1));
    parts_.carries += std::ceil(width(i) / kCarryBits);
  }

  /// Groups of six bits with a constant, of three with a wire; a group says "more" and "equal".
  double compare(WireId a, WireId b) const {
    if (is_constant(a)) std::swap(a, b);
    if (!is_constant(b)) return 2 * std::ceil(std::max(width(a), width(b)) / (kGroupBits / 2));
    // Low bits that all are 0, or all are 1, do not matter.
    const std::int64_t bound = cell(b).amount;
    int low = 0;
    while (low < 61 && (bound >> low & 1) == (bound & 1)) ++low;
    const int bits = std::max(0, width(a) - low);
    return bits <= 1 ? 0 : 2 * std::ceil(bits / kGroupBits) - 1;
  }

  void limit(WireId i) {
    const NetlistCell& c = cell(i);
    parts_.compares += compare(c.in[0], c.in[1]);
    if (!info_[i].is_clamped_on) parts_.selects += width(i);
  }

  /// Of more bits than are looked up: every output bit by itself.
  void table(WireId i) {
    parts_.functions += width(i) * std::ldexp(1.0, std::max(0, width(cell(i).in[0]) - 6));
  }

  const Module& module_;
  const std::vector<bool>& live_;
  std::vector<bool> inside_;
  std::vector<Info> info_;
  CostParts parts_;
};

}  // namespace

void CostParts::add(const CostParts& more, double times) {
  sums += more.sums * times;
  inverters += more.inverters * times;
  rounds += more.rounds * times;
  compares += more.compares * times;
  selects += more.selects * times;
  functions += more.functions * times;
  products += more.products * times;
  carries += more.carries * times;
}

CostParts parts_of(const Module& module, const std::vector<bool>& live) {
  return PartCounter(module, live).run();
}

}  // namespace chop::hardware
