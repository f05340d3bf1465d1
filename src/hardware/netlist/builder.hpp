// Building a module cell by cell: ranges follow from the inputs, what is known is not built, and a
// cell that is there already is used again.
#pragma once

#include <tuple>

#include "hardware/netlist/affine_ranges.hpp"

namespace chop::hardware {

class ModuleBuilder {
 public:
  explicit ModuleBuilder(std::string name) { module_.name = std::move(name); }

  WireId input(std::string name, const Interval& range);
  WireId constant(std::int64_t value);
  WireId add(WireId a, WireId b);
  WireId sub(WireId a, WireId b);
  WireId mul(WireId a, WireId b);
  WireId scale(WireId a, std::int64_t factor);
  /// a · 2^amount; a negative amount rounds down.
  WireId shift(WireId a, int amount);
  /// a / 2^amount to the nearest, ties to even.
  WireId round(WireId a, int amount);
  /// Bits [low, low + width) of a, without sign.
  WireId bits(WireId a, int low, int width);
  /// a · 2^width + b, where b is unsigned and has no more than `width` bits.
  WireId concat(WireId a, WireId b, int width);
  WireId less(WireId a, WireId b);
  WireId min(WireId a, WireId b);
  WireId max(WireId a, WireId b);
  WireId clamp(WireId a, const Interval& to);
  WireId mux(WireId condition, WireId then, WireId otherwise);
  /// Entry a - first.
  WireId table(WireId a, Rom rom);
  /// Of the value of every cell that follows, in the cycle after.
  WireId registered(WireId a);
  /// The results of a module that was added to the netlist before.
  std::vector<WireId> instance(std::string name, const Netlist& netlist, std::size_t module,
                               std::vector<WireId> in);
  void output(std::string name, WireId wire) { module_.outputs.push_back({std::move(name), wire}); }
  void comment(std::string text) { module_.comments.push_back(std::move(text)); }
  /// Names the wire, if it has only the name that was made up for it and the new one is free.
  void rename(WireId wire, const std::string& name);

  const Interval& range(WireId wire) const { return module_.cells[wire].range; }
  /// Without the cells that no output depends on.
  Module finish(int latency) &&;

 private:
  WireId make(CellKind kind, std::vector<WireId> in, std::int64_t amount = 0,
              const Interval& given = {});
  WireId push(NetlistCell cell);

  Module module_;
  AffineRanges affine_;
  /// By kind, inputs, amount and the range that was given with it.
  std::map<std::tuple<CellKind, std::vector<WireId>, std::int64_t, std::int64_t>, WireId> known_;
  std::map<std::string, WireId> names_;
};

}  // namespace chop::hardware
