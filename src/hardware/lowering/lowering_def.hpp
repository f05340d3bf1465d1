// How a call of the network becomes integer nodes. The file src/hardware/lowering/defs/<name>.cpp
// defines `LoweringDef define()` in namespace chop::hardware::lowerings::<name>; that is its
// registration.
#pragma once

#include "hardware/lowering/to_integer.hpp"
#include "hardware/lowering/traced.hpp"

namespace chop::hardware {

/// One call, and the graph its nodes go to.
class LoweringCall {
 public:
  LoweringCall(IntegerGraph& to, const ToIntegerOptions& options, const Node& node,
               std::vector<const Traced*> in, std::vector<TensorType> types, TensorType result)
      : to_(to),
        options_(options),
        node_(node),
        in_(std::move(in)),
        types_(std::move(types)),
        result_(std::move(result)) {}

  const Node& node() const { return node_; }
  ops::Call call() const;
  const ToIntegerOptions& options() const { return options_; }
  std::size_t operands() const { return in_.size(); }
  const Traced& in(std::size_t operand) const { return *in_[operand]; }
  /// The type of an operand, with a batch of one.
  const TensorType& type(std::size_t operand) const { return types_[operand]; }
  /// Position of a parameter among the operands, or -1.
  std::int64_t find(std::string_view param) const;
  const TensorType& result_type() const { return result_; }
  /// Of one sample of the result.
  Shape result_shape() const { return sample(result_.shape); }
  static Shape sample(const Shape& shape) { return {shape.begin() + 1, shape.end()}; }

  /// The integer node of an operand; an error where it is a real number.
  Result<std::size_t> codes(std::size_t operand) const;
  /// The same, and the scale of those codes where it is no power of two.
  struct Scaled {
    std::size_t node = 0;
    double step = 1;
  };
  Result<Scaled> scaled_codes(std::size_t operand) const;
  /// The codes of a constant operand.
  Result<ConstantCodes> constant(std::size_t operand) const;
  const IntegerNode& at(std::size_t node) const { return to_.nodes[node]; }
  /// Adds a node, whose ranges follow from its inputs. An error where its op refuses it.
  Result<Traced> add(IntegerNode node);
  Result<Traced> add_input(IntegerNode node, std::string placeholder, NumberFormat format,
                           double step = 1);

 private:
  std::string unused(std::string name) const;

  IntegerGraph& to_;
  const ToIntegerOptions& options_;
  const Node& node_;
  std::vector<const Traced*> in_;
  std::vector<TensorType> types_;
  TensorType result_;
};

struct LoweringDef {
  std::string_view name;
  /// Whether it lowers calls of this op.
  bool (*takes)(const Node&, const ops::OpDef&) = nullptr;
  Result<Traced> (*lower)(LoweringCall&) = nullptr;
  /// It checks by itself that samples do not depend on each other, where the op's `rows_apart` says
  /// less than is known here.
  bool checks_rows = false;
};

std::span<const LoweringDef> all_lowerings();

/// A remark where sums of so many units of the last bit are not exact in float32, else "".
std::string float_remark(std::int64_t units);

}  // namespace chop::hardware
