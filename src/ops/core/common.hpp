// What op files share: shape rules, loops over broadcast operands, costs.
#pragma once

#include "ops/core/grad_builder.hpp"
#include "ops/core/op_def.hpp"

namespace chop::ops {

using TypeList = Result<std::vector<TensorType>>;

/// Output 0 has the type of input 0.
TypeList same_type(const TypedCall& call);
/// Output 0 has the broadcast shape of all inputs.
TypeList broadcast_type(const TypedCall& call);
/// The numpy rule: align right, stretch ones. An error when neither fits.
Result<Shape> broadcast(const Shape& a, const Shape& b);
/// A dimension counted from the end when negative; an error outside [-rank, rank).
Result<std::int64_t> normal_axis(std::int64_t axis, std::size_t rank);
/// Product of dims [from, to).
std::int64_t product(const Shape& shape, std::size_t from, std::size_t to);
inline std::int64_t product(const Shape& shape, std::size_t from) {
  return product(shape, from, shape.size());
}

/// For each element of `out`, the matching element of an operand of shape `in`.
class BroadcastIndex {
 public:
  BroadcastIndex(const Shape& in, const Shape& out);
  std::size_t operator()(std::size_t flat) const;

 private:
  std::vector<std::int64_t> out_strides_;
  std::vector<std::int64_t> in_strides_;
};

/// One operation per element of the output (lab and exact), as many backward.
Cost per_element(const CostCall& call);
/// The same of an op that has no gradient.
Cost per_element_forward(const CostCall& call);
/// No arithmetic: reshapes and copies.
Cost free_of_charge(const CostCall& call);

/// The text for as long as the program runs: for fields of definitions that are put together.
std::string_view kept(std::string text);
/// An op that gives neither `module` nor `function` is a function of PyTorch's and a method of its
/// tensors, both under the op's own name; `arguments` are those of the call in `torch`.
OpDef torch_named(OpDef op, std::string_view arguments);
/// The attribute of modules that may overwrite their input.
Field inplace_attr();
/// As unary_op(), with that attribute alone.
OpDef inplace_op(OpDef op);
/// For `repr`: all attributes as `name=value`, but `inplace` only when it is set.
std::string named_arguments(const Call& call);
/// Samples of one input each.
std::vector<Sample> each_of(std::vector<SampleInput> inputs);
/// Of one input each: some elements and one in [low, high], some in [far_low, far_high], none.
std::vector<Sample> usual_samples(double low = -3, double high = 3, double far_low = -1e4,
                                  double far_high = 1e4);
/// An input of a sample: whole numbers in [low, high).
SampleInput wholes(Shape shape, double low, double high, DType dtype = DType::I64);
SampleInput truths(Shape shape);

/// The type of the one input, if it is of a kind that the op's `unary` field can take.
TypeList unary_type(const TypedCall& call);
/// Completes an elementwise op from its `unary` field: infer, forward, gradient, cost, samples,
/// traits, arity, names as torch_named() does and, of an activation, the quantisable operand. With
/// Trait::NoGradient it gets no gradient.
OpDef unary_op(OpDef op);

}  // namespace chop::ops
