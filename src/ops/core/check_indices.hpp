// Bounds checks of indices. They are data, so they can only be checked when the plan runs.
#pragma once

#include "ops/core/op_def.hpp"

namespace chop::ops {

/// The operand of a call that holds indices, and the number among them that stands for none: the
/// attribute ignore_index, where the op has one.
struct CallIndices {
  IndexOperand operand;
  std::optional<std::int64_t> ignored;
};
/// Of an op that has indices.
CallIndices indices_of(const TypedCall& call);

/// An error that names the node and the first index outside, if there is one. `values` are those of
/// the operand, which has type `type`.
Status check_indices(std::string_view op, std::string_view node, const CallIndices& indices,
                     const TensorType& type, const std::byte* values);
/// The same for a call on tensors; calls without indices pass.
Status check_indices(const TypedCall& call, std::string_view node,
                     std::span<const Tensor* const> in);

}  // namespace chop::ops
