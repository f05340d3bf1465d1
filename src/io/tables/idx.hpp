// idx: the format of MNIST. A magic number, big-endian dimensions, big-endian elements.
#pragma once

#include <filesystem>

#include "tensor/tensor.hpp"

namespace chop::io {

/// u8, i8, i16, i32, f32 or f64 elements, gzipped or not. The dimensions must account for
/// every byte of the file. With `rows`, only so many of its first rows are read.
Result<Tensor> read_idx(const std::filesystem::path& path, std::int64_t rows = 0);
/// The same from bytes; `name` is the file's name in messages.
Result<Tensor> parse_idx(std::span<const std::byte> bytes, const std::string& name,
                         std::int64_t rows = 0);

}  // namespace chop::io
