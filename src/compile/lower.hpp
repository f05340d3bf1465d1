// The lowered form of a graph: every parameter an explicit get_attr node, every call a
// call_function with all its operands. Gradients are taken and plans are made of this form.
#pragma once

#include "compile/target.hpp"
#include "ops/core/op_def.hpp"

namespace chop::compile {

/// A lowered graph, and what became of the values of the graph it was made of.
struct Lowered {
  Graph graph = Graph();
  std::map<NodeId, NodeId> nodes = {};    ///< old to new; nodes that read one parameter share one
  std::map<Value, Value> formatted = {};  ///< results that are read through a number format

  /// The value as its op made it.
  Value made(Value value) const { return {nodes.at(value.node), value.index}; }
  /// The value as its readers see it.
  Value read(Value value) const {
    const auto found = formatted.find(value);
    return found == formatted.end() ? made(value) : found->second;
  }
};

/// Node names stay; get_attr nodes are named after their parameter, dots and all. In training mode
/// calls of ops with a training mode are told. An operand or result that carries a number format
/// passes through a `quantize` call, one for all readers that want the same.
Lowered lower(const Graph& graph, Mode mode);

}  // namespace chop::compile
