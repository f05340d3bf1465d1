// Ops of integer graphs that treat every element by itself: an op says what happens to one, and
// what happens to all follows.
#pragma once

#include "hardware/netlist/layer_builder.hpp"

namespace chop::hardware {

/// Completes a definition. `Rule(node, i)` is what is done with element i; of an element x it has
///   std::int64_t operator()(std::int64_t x) const
///   Interval range(const Interval& x) const
///   WireId build(LayerBuilder& layer, WireId x) const
/// and its attributes have one entry, one per channel or one per element unless `runs` is given.
template <class Rule>
IntegerOpDef element_op(IntegerOpDef def) {
  if (def.runs == nullptr) def.runs = longest_attribute;
  def.ranges = [](const IntegerCall& call) {
    std::vector<Interval> result;
    for (std::size_t i = 0; i < call.size(); ++i)
      result.push_back(Rule(call.node, i).range(call.in[0]->ranges[i]));
    return result;
  };
  def.evaluate = [](const IntegerCall& call, std::span<const Codes* const> in, Codes& out) {
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = Rule(call.node, i)((*in[0])[i]);
  };
  def.build = [](LayerBuilder& layer) {
    for (std::size_t i = 0; i < layer.call().size(); ++i)
      layer.out(Rule(layer.node(), i).build(layer, layer.in()[i]));
  };
  return def;
}

}  // namespace chop::hardware
