#include "hardware/netlist/table_line.hpp"

namespace chop::hardware {
namespace {

constexpr std::int64_t kMostEntries = 1 << 12;

class LineFinder {
 public:
  LineFinder(const Module& module, const NetlistCell& table)
      : module_(module),
        index_(table.in[0]),
        rom_(module.tables[static_cast<std::size_t>(table.amount)]) {}

  std::optional<TableLine> run() {
    add_roots(index_);
    std::int64_t count = 1;
    for (const WireId root : line_.roots) {
      const std::uint64_t own = module_.range(root).count();
      if (own > static_cast<std::uint64_t>(kMostEntries / count)) return {};
      count *= static_cast<std::int64_t>(own);
    }
    find_factors();
    for (std::int64_t n = 0; n < count; ++n)
      if (!is_on_line(n)) return {};
    return std::move(line_);
  }

 private:
  void add_roots(WireId wire) {
    const NetlistCell& cell = module_.cells[wire];
    const bool is_whole = cell.kind == CellKind::Slice && cell.amount == 0 &&
                          width_of(cell.range) >= width_of(module_.range(cell.in[0]));
    if (cell.kind == CellKind::Concat || is_whole) {
      for (const WireId in : cell.in) add_roots(in);
    } else {
      line_.roots.push_back(wire);
      values_.push_back(module_.range(wire).low);
    }
  }

  /// What such a wire has where the roots have `values_`.
  std::int64_t value(WireId wire) const {
    for (std::size_t i = 0; i < line_.roots.size(); ++i)
      if (line_.roots[i] == wire) return values_[i];
    const NetlistCell& cell = module_.cells[wire];
    std::array<std::int64_t, 2> in = {};
    for (std::size_t i = 0; i < cell.in.size(); ++i) in[i] = value(cell.in[i]);
    return def_of(cell.kind).evaluate(cell, std::span(in).first(cell.in.size()));
  }

  std::int64_t entry() const {
    return rom_.entries[static_cast<std::size_t>(value(index_) - rom_.first)];
  }

  /// From the entries next to that of the least values.
  void find_factors() {
    const std::int64_t first = entry();
    line_.constant = first;
    for (std::size_t i = 0; i < values_.size(); ++i) {
      std::int64_t factor = 0;
      if (!module_.range(line_.roots[i]).is_constant()) {
        ++values_[i];
        factor = entry() - first;
        --values_[i];
      }
      line_.factors.push_back(factor);
      line_.constant -= factor * values_[i];
    }
  }

  bool is_on_line(std::int64_t n) {
    std::int64_t sum = line_.constant;
    for (std::size_t i = 0; i < values_.size(); ++i) {
      const Interval& range = module_.range(line_.roots[i]);
      const auto own = static_cast<std::int64_t>(range.count());
      values_[i] = range.low + n % own;
      n /= own;
      sum += line_.factors[i] * values_[i];
    }
    return entry() == sum;
  }

  const Module& module_;
  WireId index_;
  const Rom& rom_;
  TableLine line_;
  std::vector<std::int64_t> values_;  ///< of the roots
};

}  // namespace

std::optional<TableLine> table_line(const Module& module, const NetlistCell& table) {
  return LineFinder(module, table).run();
}

}  // namespace chop::hardware
