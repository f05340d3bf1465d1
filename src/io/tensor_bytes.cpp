#include "io/tensor_bytes.hpp"

#include <cstring>

namespace chop::io {

std::optional<std::size_t> checked_bytes(DType dtype, const Shape& shape) {
  std::int64_t bytes = static_cast<std::int64_t>(size_of(dtype));
  bool empty = false;
  for (const std::int64_t dim : shape) {
    if (dim < 0) return std::nullopt;
    if (dim == 0) {
      empty = true;
    } else if (__builtin_mul_overflow(bytes, dim, &bytes)) {
      return std::nullopt;
    }
  }
  return empty ? 0 : static_cast<std::size_t>(bytes);
}

Tensor tensor_from_bytes(DType dtype, Shape shape, std::span<const std::byte> bytes) {
  Tensor tensor(dtype, std::move(shape));
  assert(tensor.size_in_bytes() == bytes.size() && "the caller checked the number of bytes");
  if (bytes.empty()) return tensor;
  std::byte* out = tensor.mutable_bytes();
  std::memcpy(out, bytes.data(), bytes.size());
  if (dtype == DType::Bool) {
    for (std::size_t i = 0; i < bytes.size(); ++i)
      out[i] = out[i] == std::byte{0} ? std::byte{0} : std::byte{1};
  }
  return tensor;
}

std::uint64_t little_endian(std::span<const std::byte> bytes, std::size_t size) {
  assert(size <= 8 && size <= bytes.size() && "an integer inside the bytes given");
  std::uint64_t value = 0;
  for (std::size_t i = size; i-- > 0;)
    value = value << 8 | std::to_integer<std::uint64_t>(bytes[i]);
  return value;
}

}  // namespace chop::io
