// Tensors from the bytes of a file: sizes multiplied without overflow, bytes copied once.
#pragma once

#include <bit>

#include "tensor/tensor.hpp"

namespace chop::io {

static_assert(std::endian::native == std::endian::little,
              "the formats read here are little-endian, and so must be the machine");

/// Bytes of a tensor of this type, or nothing when a dimension is negative or the product
/// does not fit 63 bits (even where another dimension is zero).
std::optional<std::size_t> checked_bytes(DType dtype, const Shape& shape);

/// A tensor with a copy of `bytes`, which must be as many as the type says. Booleans
/// become 0 or 1 whatever the byte is.
Tensor tensor_from_bytes(DType dtype, Shape shape, std::span<const std::byte> bytes);

/// A packed file of arrays may unpack to kUnpackFreely, or to kUnpackFactor times its own bytes
/// where that is more; what claims more is refused before memory is spent on it.
inline constexpr std::uint64_t kUnpackFreely = std::uint64_t{256} << 20U;
inline constexpr std::uint64_t kUnpackFactor = 64;

/// A little-endian unsigned integer of `size` bytes (at most 8).
std::uint64_t little_endian(std::span<const std::byte> bytes, std::size_t size);

}  // namespace chop::io
