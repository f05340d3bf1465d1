// NumPy's .npy: one array with a short text header (versions 1.0, 2.0 and 3.0).
#pragma once

#include <filesystem>
#include <functional>

#include "tensor/tensor.hpp"

namespace chop::io {

/// Little-endian arrays of our dtypes, C or Fortran order (the result is always C order).
/// Pickled objects are never read. With `rows`, only so many of the first rows of an array whose
/// rows have more than one element: labels are taken whole.
Result<Tensor> read_npy(const std::filesystem::path& path, std::int64_t rows = 0);
/// The same from bytes; `name` is the file's name in messages.
Result<Tensor> parse_npy(std::span<const std::byte> bytes, std::string_view name,
                         std::int64_t rows = 0);
/// The same where the bytes come in order: take(n) gives the first n of the file, which has `size`.
Result<Tensor> parse_npy(const std::function<Result<std::string>(std::size_t)>& take,
                         std::size_t size, std::string_view name, std::int64_t rows);

/// The bytes of a version 1.0 file. numpy has no bfloat16: such tensors are an error.
Result<std::string> format_npy(const Tensor& tensor);
Status write_npy(const std::filesystem::path& path, const Tensor& tensor);

}  // namespace chop::io
