// HDF5: named columns of a one-dimensional table (a compound data set), as h5py and
// PyTables write structured arrays.
#pragma once

#include <filesystem>

#include "tensor/tensor.hpp"

namespace chop::io {

/// The chosen columns, in the order given, as F64 [rows, columns]. Columns may be of any integer or
/// floating-point type. The HDF5 library's own messages are suppressed. `most_rows` > 0 stops after
/// so many rows.
Result<Tensor> read_hdf5_columns(const std::filesystem::path& path, const std::string& dataset,
                                 std::span<const std::string> columns, std::int64_t most_rows = 0);
/// The same from the bytes of a file; `name` is its name in messages.
Result<Tensor> parse_hdf5_columns(std::span<const std::byte> bytes, const std::string& name,
                                  const std::string& dataset, std::span<const std::string> columns,
                                  std::int64_t most_rows = 0);

}  // namespace chop::io
