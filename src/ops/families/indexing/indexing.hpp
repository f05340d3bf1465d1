// What ops that look elements up by number share: gather, scatter, pad, slices.
//
// An index counts from the end when it is negative. Whether one is outside cannot be known before
// the run, which then ends with an error (OpDef::indices).
#pragma once

#include <type_traits>

#include "ops/core/checks.hpp"
#include "ops/families/indexing/shapes.hpp"

namespace chop::ops {

/// Operand `position` must hold whole numbers.
Status need_whole(const TypedCall& call, std::size_t position);

/// Operand 1 counts along the dimension `dim` of operand 0.
IndexOperand indices_along_dim(const TypedCall& call);
/// The last dimension of operand 1 counts along dimensions of operand 0, behind batch_dims others.
IndexOperand indices_nd(const TypedCall& call);

/// `index` as a position among `size` elements, negative ones counted from the end; none when it is
/// outside.
inline std::optional<std::size_t> checked_index(std::int64_t index, std::int64_t size) {
  if (index < -size || index >= size) return {};
  return static_cast<std::size_t>(index < 0 ? index + size : index);
}

/// What reading outside gives.
template <class T>
constexpr T outside() {
  if constexpr (std::is_floating_point_v<T>)
    return std::numeric_limits<T>::quiet_NaN();
  else
    return T{0};
}

/// y[i] = x[offsets[i]]; what reading outside gives where the offset is negative.
void take(const ForwardCall& call, const Ints& offsets);

/// For each dimension of a result, the index in x that each of its indices comes from; -1: none.
using IndexMaps = std::vector<Ints>;

/// Calls f(i, from) for every element i of the result, `from` being the flat element of x (of
/// shape `in`), or -1 when a dimension has none.
template <class F>
void for_each_mapped(const IndexMaps& maps, const Shape& in, F&& f) {
  std::int64_t count = 1;
  for (const Ints& map : maps) count *= static_cast<std::int64_t>(map.size());
  for (std::int64_t i = 0; i < count; ++i) {
    std::int64_t rest = i;
    std::int64_t from = 0;
    std::int64_t stride = 1;
    for (std::size_t d = maps.size(); d-- > 0;) {
      const auto size = static_cast<std::int64_t>(maps[d].size());
      const std::int64_t index = maps[d][static_cast<std::size_t>(rest % size)];
      from = index < 0 || from < 0 ? -1 : from + index * stride;
      stride *= in[d];
      rest /= size;
    }
    f(static_cast<std::size_t>(i), from);
  }
}

/// y[i] = x[from], `fill` where there is none: operand 0 to result 0, of any type.
void mapped_forward(const ForwardCall& call, const IndexMaps& maps, double fill);
/// The adjoint, x[from] += y[i]: operand 0 (dy) to result 0 (dx, of shape `in`).
void mapped_backward(const ForwardCall& call, const IndexMaps& maps);

/// Of an x of shape `in`, tiled to a result of shape `out` with as many dimensions.
IndexMaps tiled_maps(const Shape& in, const Shape& out);

/// Completes the gradient of such an op, whose attribute input_shape is the shape of x: all but its
/// names, other attributes and gradient. `shape_of` and `maps_of` take the call and that shape.
template <auto shape_of, auto maps_of>
OpDef mapped_grad_op(OpDef op) {
  op.mase_type = MaseType::Gradient;
  op.attrs.insert(op.attrs.begin(), {"input_shape", Ints{}, "shape of x", true});
  op.infer = [](const TypedCall& call) -> TypeList {
    const Shape& x = call.ints("input_shape");
    CH_CHECK(need_real(call));
    CH_CHECK(check_size(call, x));
    CH_TRY(const Shape y, shape_of(call, x));
    CH_CHECK(check_shape(call, 0, y));
    return std::vector<TensorType>{{call.in[0].dtype, x}};
  };
  op.forward = [](const ForwardCall& call) {
    mapped_backward(call, maps_of(call, call.out[0].shape()));
  };
  return op;
}

/// Where gather_elements reads and scatter_elements writes: for each index the flat element of x
/// that has the index's own position in all dimensions but `axis`, and there the index; -1:
/// outside.
Ints element_offsets(const Shape& x, const Tensor& indices, std::size_t axis);
/// An error unless indices of this shape fit x so.
Status check_elements(const Call& call, const Shape& x, const Shape& indices);

/// Where gather_nd reads and scatter_nd writes. The last dimension of indices [..., q] holds a
/// position in dimensions b to b + q - 1 of x, b = batch_dims; the first b dimensions go in step.
/// For each element of the shape nd_shape(): the flat element of x, -1: outside.
Ints nd_offsets(const Shape& x, const Tensor& indices, std::size_t batch_dims);
/// indices[:-1] + x[b + q:], or an error when they do not fit.
Result<Shape> nd_shape(const Call& call, const Shape& x, const Shape& indices);

/// `value` as a T, as Tensor::to converts: whole numbers toward zero and within range.
template <class T>
T number_as(double value) {
  if constexpr (std::is_floating_point_v<T>) {
    return static_cast<T>(value);
  } else {
    return Tensor::scalar(value, DType::F64).to(DTypeOf<T>::kValue).template data<T>()[0];
  }
}

}  // namespace chop::ops
