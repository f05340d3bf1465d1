// The kinds of cells: what each computes, on values and on ranges.
#include "hardware/integer/rounding.hpp"
#include "hardware/netlist/netlist.hpp"

namespace chop::hardware {
namespace {

using Ranges = std::span<const Interval>;
using Values = std::span<const std::int64_t>;

Interval slice_range(const NetlistCell& cell, Ranges in) {
  // All values of its bits, unless the input has none that would be cut off.
  const Interval rest = shifted(in[0], static_cast<int>(-cell.amount));
  return cell.range.holds(rest) ? rest : cell.range;
}

std::int64_t slice(const NetlistCell& cell, Values in) {
  const int width = width_of(cell.range);
  return shifted(in[0], static_cast<int>(-cell.amount)) & ((std::int64_t{1} << width) - 1);
}

Interval less_range(const NetlistCell& /*cell*/, Ranges in) {
  return {in[0].high < in[1].low ? 1 : 0, in[0].low < in[1].high ? 1 : 0};
}

const std::array<CellDef, 18> kCells = {{
    {CellKind::Input, "input"},
    {CellKind::Constant, "constant", 0,
     [](const NetlistCell& c, Ranges /*in*/) {
       return Interval{c.amount, c.amount};
     },
     [](const NetlistCell& c, Values /*in*/) { return c.amount; }},
    {CellKind::Add, "add", 2, [](const NetlistCell& /*c*/, Ranges in) { return in[0] + in[1]; },
     [](const NetlistCell& /*c*/, Values in) { return in[0] + in[1]; }},
    {CellKind::Sub, "sub", 2, [](const NetlistCell& /*c*/, Ranges in) { return in[0] - in[1]; },
     [](const NetlistCell& /*c*/, Values in) { return in[0] - in[1]; }},
    {CellKind::Mul, "mul", 2,
     [](const NetlistCell& c, Ranges in) {
       return c.in[0] == c.in[1] ? squared(in[0]) : in[0] * in[1];
     },
     [](const NetlistCell& /*c*/, Values in) { return in[0] * in[1]; }},
    {CellKind::Scale, "scale", 1, [](const NetlistCell& c, Ranges in) { return in[0] * c.amount; },
     [](const NetlistCell& c, Values in) { return in[0] * c.amount; }},
    {CellKind::Shift, "shift", 1,
     [](const NetlistCell& c, Ranges in) { return shifted(in[0], static_cast<int>(c.amount)); },
     [](const NetlistCell& c, Values in) { return shifted(in[0], static_cast<int>(c.amount)); }},
    {CellKind::Round, "round", 1,
     [](const NetlistCell& c, Ranges in) {
       return Interval{round_even(in[0].low, c.amount), round_even(in[0].high, c.amount)};
     },
     [](const NetlistCell& c, Values in) { return round_even(in[0], c.amount); }},
    {CellKind::Slice, "slice", 1, slice_range, slice},
    {CellKind::Concat, "concat", 2,
     [](const NetlistCell& c, Ranges in) {
       return shifted(in[0], static_cast<int>(c.amount)) + in[1];
     },
     [](const NetlistCell& c, Values in) {
       return shifted(in[0], static_cast<int>(c.amount)) + in[1];
     }},
    {CellKind::Less, "less", 2, less_range,
     [](const NetlistCell& /*c*/, Values in) { return std::int64_t{in[0] < in[1]}; }},
    {CellKind::Equal, "equal", 2,
     [](const NetlistCell& /*c*/, Ranges /*in*/) {
       return Interval{0, 1};
     },
     [](const NetlistCell& /*c*/, Values in) { return std::int64_t{in[0] == in[1]}; }},
    {CellKind::Min, "min", 2,
     [](const NetlistCell& /*c*/, Ranges in) {
       return Interval{std::min(in[0].low, in[1].low), std::min(in[0].high, in[1].high)};
     },
     [](const NetlistCell& /*c*/, Values in) { return std::min(in[0], in[1]); }},
    {CellKind::Max, "max", 2,
     [](const NetlistCell& /*c*/, Ranges in) {
       return Interval{std::max(in[0].low, in[1].low), std::max(in[0].high, in[1].high)};
     },
     [](const NetlistCell& /*c*/, Values in) { return std::max(in[0], in[1]); }},
    {CellKind::Mux, "mux", 3,
     [](const NetlistCell& /*c*/, Ranges in) { return hull(in[1], in[2]); },
     [](const NetlistCell& /*c*/, Values in) { return in[0] != 0 ? in[1] : in[2]; }},
    {CellKind::Table, "table", 1},
    {CellKind::Register, "register", 1, [](const NetlistCell& /*c*/, Ranges in) { return in[0]; },
     [](const NetlistCell& /*c*/, Values in) { return in[0]; }},
    {CellKind::Result, "result"},
}};

}  // namespace

const CellDef& def_of(CellKind kind) {
  const CellDef& def = kCells[static_cast<std::size_t>(kind)];
  assert(def.kind == kind && "the table of cells is in the order of the kinds");
  return def;
}

std::optional<CellKind> cell_kind_from_name(std::string_view name) {
  for (const CellDef& def : kCells)
    if (def.name == name) return def.kind;
  return {};
}

std::vector<WireId> Module::inputs() const {
  std::vector<WireId> found;
  for (WireId i = 0; i < cells.size(); ++i)
    if (cells[i].kind == CellKind::Input) found.push_back(i);
  return found;
}

}  // namespace chop::hardware
