#include "ops/core/check_indices.hpp"

#include <cstring>

namespace chop::ops {
namespace {

template <class T>
Status check_all(std::string_view op, std::string_view node, const IndexOperand& indices,
                 std::span<const T> values) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::int64_t places = indices.places[i % indices.places.size()];
    const std::int64_t least = indices.from_end ? -places : 0;
    const auto index = static_cast<std::int64_t>(values[i]);
    if (index >= least && index < places) continue;
    return Error{.what = cat(op, " '", node, "': index ", index, " is out of range, there are ",
                             places, " places"),
                 .notes = {cat("it is element ", i, " of its indices")},
                 .hint = cat("indices from ", least, " to ", places - 1, " are inside")};
  }
  return {};
}

}  // namespace

Status check_indices(std::string_view op, std::string_view node, const IndexOperand& indices,
                     const TensorType& type, const std::byte* values) {
  const auto count = static_cast<std::size_t>(numel(type.shape));
  if (type.dtype == DType::I64)
    return check_all<std::int64_t>(op, node, indices,
                                   {reinterpret_cast<const std::int64_t*>(values), count});
  if (type.dtype == DType::I32)
    return check_all<std::int32_t>(op, node, indices,
                                   {reinterpret_cast<const std::int32_t*>(values), count});
  Tensor stored(type);
  if (count > 0) std::memcpy(stored.mutable_bytes(), values, stored.size_in_bytes());
  const Tensor wide = stored.to(DType::I64);
  return check_all<std::int64_t>(op, node, indices, wide.data<std::int64_t>());
}

Status check_indices(const TypedCall& call, std::string_view node,
                     std::span<const Tensor* const> in) {
  if (call.op.indices == nullptr) return {};
  const IndexOperand indices = call.op.indices(call);
  const Tensor& values = *in[indices.operand];
  return check_indices(call.op.name, node, indices, values.type(), values.bytes());
}

}  // namespace chop::ops
