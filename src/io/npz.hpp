// NumPy's .npz: a zip archive of .npy files.
#pragma once

#include <filesystem>

#include "tensor/tensor.hpp"

namespace chop::io {

using NpzArrays = std::vector<std::pair<std::string, Tensor>>;

/// All arrays, in the order of the archive, under their names without ".npy". Stored and
/// deflated entries are read; other files in the archive are left alone. With `rows`, only so many
/// of the first rows of arrays, as read_npy() takes them.
Result<NpzArrays> read_npz(const std::filesystem::path& path, std::int64_t rows = 0);

/// Stored, not deflated; the same tensors give the same bytes.
Status write_npz(const std::filesystem::path& path, const NpzArrays& tensors);

}  // namespace chop::io
