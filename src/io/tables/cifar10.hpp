// CIFAR-10's binary batches: records of one label byte and 3 x 32 x 32 pixel bytes.
#pragma once

#include <filesystem>

#include "tensor/tensor.hpp"

namespace chop::io {

struct Cifar10Batch {
  Tensor images;  ///< U8 [n, 3, 32, 32], red, green, blue
  Tensor labels;  ///< I64 [n], 0..9
};

Result<Cifar10Batch> read_cifar10(const std::filesystem::path& path);
/// The same from bytes; `name` is the file's name in messages.
Result<Cifar10Batch> parse_cifar10(std::span<const std::byte> bytes, const std::string& name);

}  // namespace chop::io
