// What ops that reshape, reduce or walk along one dimension share.
#pragma once

#include "ops/core/common.hpp"

namespace chop::ops {

/// As normal_axis(), but a scalar counts as having one dimension, as in PyTorch.
Result<std::size_t> axis_of(std::int64_t axis, std::size_t rank);
/// For each dimension whether `axes` names it; an empty list names all. Naming one twice is
/// an error.
Result<std::vector<bool>> axes_of(const Ints& axes, std::size_t rank);

/// A tensor as [outer, size, inner] around one dimension: element j of lane (o, i) is at
/// (o · size + j) · inner + i.
struct Lanes {
  std::size_t outer = 1;
  std::size_t size = 1;
  std::size_t inner = 1;

  std::size_t at(std::size_t o, std::size_t j, std::size_t i) const {
    return (o * size + j) * inner + i;
  }
};
Lanes lanes_of(const Shape& shape, std::size_t axis);

/// The elements of every lane from `start` on.
struct LanePart {
  Lanes lanes;
  std::size_t start = 0;
};
/// Copies `count` elements of every lane.
template <class T>
void copy_lanes(std::span<const T> x, const LanePart& from, std::span<T> y, const LanePart& to,
                std::size_t count) {
  for (std::size_t o = 0; o < to.lanes.outer; ++o)
    for (std::size_t j = 0; j < count; ++j)
      for (std::size_t i = 0; i < to.lanes.inner; ++i)
        y[to.lanes.at(o, to.start + j, i)] = x[from.lanes.at(o, from.start + j, i)];
}

/// Operands must be real numbers, not indices.
Status need_real(const TypedCall& call);
/// Operands must be numbers, real or whole, not truth values.
Status need_number(const TypedCall& call);
/// Operands from `first` on must all be real, or all of one dtype.
Status need_alike(const TypedCall& call, std::size_t first = 0);
/// The result's dimensions must not be negative, nor its elements too many to count.
Status check_size(const Call& call, const Shape& result);

/// The type after reshaping to the attribute `shape`, whose one -1 is worked out.
TypeList reshape_type(const TypedCall& call);
/// Output 0 gets the bytes of input 0.
void copy_forward(const ForwardCall& call);
/// dx is dy under the shape of x.
void reshape_gradient(GradBuilder& g);
/// Completes an op whose result has the bytes of its input: all but its names, attributes and type.
OpDef view_op(OpDef op);
/// Completes reshape and view: all but their names.
OpDef reshape_op(OpDef op);

/// Types and values when the dimensions `order` of the input come in that order.
Shape permuted(const Shape& shape, const std::vector<std::size_t>& order);
void permute_forward(const ForwardCall& call, const std::vector<std::size_t>& order);
/// `shape` without the named dimensions, or with size one there.
Shape reduced_shape(const Shape& shape, const std::vector<bool>& axes, bool keepdim);
/// The type of a reduction over the attribute `dim` (with `keepdim`).
TypeList reduce_type(const TypedCall& call);
/// y = Σ x over the attribute `dim`.
void sum_forward(const ForwardCall& call);
/// How many elements of the input make one of the output.
std::int64_t reduced_count(const Call& call, const Shape& in);
/// A reduction's gradient spread over the elements it was made of.
Value expand_reduced(GradBuilder& g, Value gradient);

/// Completes an op that permutes dimensions, all but its attributes, names and gradient.
/// `order_of(call, rank)` says which dimension of x each one of y is, or what is wrong.
template <auto order_of>
OpDef permute_op(OpDef op) {
  op.mase_type = MaseType::ImplicitFunc;
  op.infer = [](const TypedCall& call) -> TypeList {
    CH_TRY(const std::vector<std::size_t> order, order_of(call, call.shape(0).size()));
    return std::vector<TensorType>{{call.in[0].dtype, permuted(call.shape(0), order)}};
  };
  op.forward = [](const ForwardCall& call) {
    permute_forward(call, order_of(call, call.in[0]->shape().size()).value());
  };
  op.cost = free_of_charge;
  op.onnx = {{"Transpose", 1}};
  return op;
}

}  // namespace chop::ops
