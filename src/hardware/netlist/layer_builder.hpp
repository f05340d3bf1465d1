// What an integer op builds its circuit with: the module of one node.
#pragma once

#include "hardware/adders/adder_graph.hpp"
#include "hardware/integer/op_def.hpp"

namespace chop::hardware {

/// Joins neighbours, then the results, until one is left: a balanced tree.
template <class T, class Join>
T joined(std::vector<T> items, Join&& join) {
  while (items.size() > 1) {
    std::vector<T> next;
    for (std::size_t k = 0; k + 1 < items.size(); k += 2)
      next.push_back(join(items[k], items[k + 1]));
    if (items.size() % 2 == 1) next.push_back(items.back());
    items = std::move(next);
  }
  return items[0];
}

class LayerBuilder {
 public:
  LayerBuilder(const IntegerCall& call, Netlist& netlist, std::string module_name,
               const AdderOptions& adders);

  const IntegerCall& call() const { return call_; }
  const IntegerNode& node() const { return call_.node; }
  ModuleBuilder& cells() { return cells_; }
  const AdderOptions& adders() const { return adders_; }
  /// The wires of an input's elements.
  std::span<const WireId> in(std::size_t input = 0) const { return in_[input]; }
  /// The wire of the next element of the result.
  void out(WireId wire) { out_.push_back(wire); }
  /// A module of its own, to be used several times: its inputs have the given ranges, and `build`
  /// makes its outputs. Returns its number for ModuleBuilder::instance().
  template <class Build>
  std::size_t inner(std::string_view suffix, std::span<const Interval> ranges, Build&& build) {
    ModuleBuilder cells(cat(name_, "_", suffix));
    std::vector<WireId> x;
    for (std::size_t i = 0; i < ranges.size(); ++i)
      x.push_back(cells.input(cat("x_", i), ranges[i]));
    const std::vector<WireId> y = build(cells, x);
    for (std::size_t i = 0; i < y.size(); ++i) cells.output(cat("y_", i), y[i]);
    netlist_.modules.push_back(std::move(cells).finish(0));
    return netlist_.modules.size() - 1;
  }
  Netlist& netlist() { return netlist_; }

  /// The finished module, its outputs registered or not.
  Module finish(bool registered) &&;

 private:
  IntegerCall call_;
  Netlist& netlist_;
  std::string name_;
  AdderOptions adders_;
  ModuleBuilder cells_;
  std::vector<std::vector<WireId>> in_;
  std::vector<WireId> out_;
};

}  // namespace chop::hardware
