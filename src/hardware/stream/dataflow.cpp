#include "hardware/stream/dataflow.hpp"

namespace chop::hardware {
namespace {

template <class Key>
std::pair<std::int64_t, std::int64_t> extremes(const std::vector<Tap>& taps, Key key) {
  std::pair<std::int64_t, std::int64_t> found{key(taps[0]), key(taps[0])};
  for (const Tap& tap : taps)
    found = {std::min(found.first, key(tap)), std::max(found.second, key(tap))};
  return found;
}

std::int64_t down(const Tap& tap) {
  return tap.dy;
}

std::int64_t across(const Tap& tap) {
  return tap.dx;
}

}  // namespace

int width_of(const Word& word) {
  int width = 0;
  for (const Interval& range : word) width += width_of(range);
  return width;
}

std::int64_t WindowUnit::top() const {
  return extremes(windows.taps, down).first;
}
std::int64_t WindowUnit::bottom() const {
  return extremes(windows.taps, down).second;
}
std::int64_t WindowUnit::left() const {
  return extremes(windows.taps, across).first;
}
std::int64_t WindowUnit::right() const {
  return extremes(windows.taps, across).second;
}

std::int64_t WindowUnit::rows() const {
  return std::max(from.height, (windows.height - 1) * windows.stride_y + bottom() + 1);
}

std::int64_t WindowUnit::columns() const {
  return std::max(from.width, (windows.width - 1) * windows.stride_x + right() + 1);
}

bool WindowUnit::fits() const {
  if (windows.is_pointwise(from)) return true;
  return bottom() >= 0 && right() >= 0 && windows.height * windows.stride_y + bottom() >= rows() &&
         windows.width * windows.stride_x + right() >= columns();
}

std::vector<std::size_t> WindowUnit::last_tokens() const {
  std::vector<std::size_t> all;
  for (std::int64_t oy = 0; oy < windows.height; ++oy)
    for (std::int64_t ox = 0; ox < windows.width; ++ox) {
      const std::int64_t y = oy * windows.stride_y + bottom();
      const std::int64_t x = std::min(ox * windows.stride_x + right(), from.width - 1);
      all.push_back(
          static_cast<std::size_t>(y >= from.height ? from.tokens() - 1 : y * from.width + x));
    }
  return all;
}

void MacUnit::spread_over(std::size_t cycles) {
  column_parts = std::min(columns, cycles);
  column_parts = (columns + lanes() - 1) / lanes();  // of equal size: more would only be empty
  row_parts = std::clamp<std::size_t>(cycles / columns, 1, rows);
  row_parts = (rows + row_lanes() - 1) / row_lanes();
}

Dataflow to_dataflow(Netlist netlist) {
  const Module& top = netlist.top();
  Dataflow made{.name = cat(top.name, "_stream")};
  Word in;
  Word out;
  made.given.emplace_back();
  made.made.emplace_back();
  for (const WireId wire : top.inputs()) {
    made.given[0].push_back(in.size());
    in.push_back(top.range(wire));
  }
  for (const Output& output : top.outputs) {
    made.made[0].push_back(out.size());
    out.push_back(top.range(output.wire));
  }
  made.links = {std::move(in), std::move(out)};
  made.output = 1;
  made.latency = top.latency;
  made.units.push_back({.name = cat(top.name, "_stage"),
                        .what = CoreUnit{netlist.modules.size() - 1},
                        .in = {0},
                        .out = {1},
                        .comment = "the whole network"});
  made.cores = std::move(netlist);
  made.cores.enable = true;
  return made;
}

FoldedCounts count_units(const Dataflow& dataflow) {
  FoldedCounts counts;
  for (const Unit& unit : dataflow.units) {
    const int in = width_of(dataflow.links[unit.in[0]]);
    if (const auto* mac = std::get_if<MacUnit>(&unit.what)) {
      int bits = 1;
      for (const std::int64_t w : mac->weight)
        bits =
            std::max(bits, width_of({std::min<std::int64_t>(w, -1), std::max<std::int64_t>(w, 0)}));
      const auto multipliers = static_cast<std::int64_t>(mac->lanes() * mac->row_lanes());
      counts.multipliers += multipliers;
      counts.weight_bits += multipliers * static_cast<std::int64_t>(mac->cycles()) * bits;
    } else if (const auto* window = std::get_if<WindowUnit>(&unit.what)) {
      const std::int64_t rows = window->bottom() - window->top() + 1;
      const std::int64_t columns = window->right() - window->left() + 1;
      counts.line_bits += (rows - 1) * window->columns() * in;
      counts.window_bits += rows * columns * in;
    } else if (const auto* fifo = std::get_if<FifoUnit>(&unit.what)) {
      counts.fifo_bits += fifo->depth * in;
    }
  }
  return counts;
}

}  // namespace chop::hardware
