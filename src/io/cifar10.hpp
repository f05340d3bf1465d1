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

}  // namespace chop::io
