// What a gradient rule works with: the node it differentiates and a way to add nodes.
//
// Rules see the lowered form, where parameters are ordinary operands, at known shapes.
#pragma once

#include "ops/core/infer.hpp"
#include "ops/core/op_def.hpp"

namespace chop::ops {

class GradBuilder {
 public:
  GradBuilder(Graph& graph, Types& types, NodeId node,
              std::vector<std::optional<Value>> output_grads);

  const Call& call() const { return call_; }
  std::size_t operands() const { return inputs_.size(); }
  Value input(std::size_t position) const { return inputs_[position]; }
  /// Position of a parameter among the operands, or -1 when this call has none.
  std::int64_t find(std::string_view param) const;
  Value output(std::uint32_t number = 0) const { return {node_, number}; }
  /// dL/d(output); outputs nothing depends on have none (output 0 always does).
  Value output_grad(std::uint32_t number = 0) const { return *output_grads_[number]; }
  bool has_output_grad(std::uint32_t number) const { return output_grads_[number].has_value(); }
  const Shape& shape(Value value) const { return type_of(types_, value).shape; }
  DType dtype(Value value) const { return type_of(types_, value).dtype; }

  /// Appends a call and returns its first result, or result `number` of it.
  Value add(std::string_view op, std::vector<Value> inputs, Attrs attrs = {},
            std::uint32_t number = 0);
  /// Sums a gradient over the dimensions that broadcasting stretched, back to `shape`.
  Value sum_to(Value value, const Shape& shape);

  /// Says what dL/d(operand) is.
  void set(std::size_t operand, Value gradient) { gradients_[operand] = gradient; }
  const std::vector<std::optional<Value>>& gradients() const { return gradients_; }

 private:
  Graph& graph_;
  Types& types_;
  NodeId node_;
  Attrs attrs_;
  std::vector<Value> inputs_;
  std::vector<std::optional<Value>> output_grads_;
  std::vector<std::optional<Value>> gradients_;
  Call call_;
};

}  // namespace chop::ops
