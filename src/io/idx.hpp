// idx: the format of MNIST. A magic number, big-endian dimensions, big-endian elements.
#pragma once

#include <filesystem>

#include "tensor/tensor.hpp"

namespace chop {

/// u8, i8, i16, i32, f32 or f64 elements, gzipped or not. The dimensions must account for
/// every byte of the file.
Result<Tensor> read_idx(const std::filesystem::path& path);

}  // namespace chop
