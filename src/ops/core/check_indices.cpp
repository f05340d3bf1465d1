#include "ops/core/check_indices.hpp"

#include <cstring>

namespace chop::ops {
namespace {

/// How many of the values from `begin` on lie one after the other in [least, least + count).
template <class T>
std::size_t run_inside(std::span<const T> values, std::size_t begin, std::int64_t least,
                       std::int64_t count) {
  const auto low = static_cast<std::uint64_t>(least);
  std::size_t i = begin;
  while (i < values.size() && static_cast<std::uint64_t>(std::int64_t{values[i]}) - low <
                                  static_cast<std::uint64_t>(count))
    ++i;
  return i - begin;
}

template <class T>
Status check_all(std::string_view op, std::string_view node, const CallIndices& indices,
                 std::span<const T> values) {
  const auto& [operand, sizes, from_end] = indices.operand;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::int64_t size = sizes[sizes.size() == 1 ? 0 : i % sizes.size()];
    const std::int64_t least = from_end ? -size : 0;
    if (sizes.size() == 1 && (i += run_inside(values, i, least, size - least)) == values.size())
      break;
    const auto index = static_cast<std::int64_t>(values[i]);
    if ((index >= least && index < size) || index == indices.ignored) continue;
    return Error{
        .what = cat(op, " '", node, "': index ", index, " is out of range for a dimension of size ",
                    size),
        .notes = {cat("it is element ", i, " of operand ", operand)},
        .hint = size == 0 ? "" : cat("indices from ", least, " to ", size - 1, " are inside")};
  }
  return {};
}

}  // namespace

CallIndices indices_of(const TypedCall& call) {
  CallIndices found{call.op.indices(call), {}};
  if (find_field(call.op.attrs, "ignore_index") != nullptr)
    found.ignored = call.integer("ignore_index");
  return found;
}

Status check_indices(std::string_view op, std::string_view node, const CallIndices& indices,
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
  const CallIndices indices = indices_of(call);
  const Tensor& values = *in[indices.operand.operand];
  return check_indices(call.op.name, node, indices, values.type(), values.bytes());
}

}  // namespace chop::ops
