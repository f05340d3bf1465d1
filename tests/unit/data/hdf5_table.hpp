// Writes small HDF5 tables for tests.
#pragma once

#include <hdf5.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace chop::testing {

enum class Stored : std::uint8_t { Float64, Float32, Int8 };
constexpr Stored kFloat64 = Stored::Float64;
constexpr Stored kFloat32 = Stored::Float32;
constexpr Stored kInt8 = Stored::Int8;

struct Column {
  std::string name;
  Stored stored = Stored::Float64;
  std::vector<double> values = {};
};

inline hid_t table_type(const std::vector<Column>& columns, bool stored) {
  const auto type_of = [&](const Column& column) {
    if (!stored || column.stored == Stored::Float64) return H5T_NATIVE_DOUBLE;
    return column.stored == Stored::Float32 ? H5T_NATIVE_FLOAT : H5T_NATIVE_INT8;
  };
  std::size_t size = 0;
  for (const Column& column : columns) size += H5Tget_size(type_of(column));
  const hid_t type = H5Tcreate(H5T_COMPOUND, size);
  size = 0;
  for (const Column& column : columns) {
    H5Tinsert(type, column.name.c_str(), size, type_of(column));
    size += H5Tget_size(type_of(column));
  }
  return type;
}

/// All columns must have the same number of values.
inline void write_hdf5_table(const std::filesystem::path& path, const std::string& dataset,
                             const std::vector<Column>& columns) {
  const hsize_t rows = columns.front().values.size();
  std::vector<double> values;
  for (hsize_t i = 0; i < rows; ++i)
    for (const Column& column : columns) values.push_back(column.values[i]);
  const hid_t file = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  const hid_t stored = table_type(columns, true);
  const hid_t memory = table_type(columns, false);
  const hid_t space = H5Screate_simple(1, &rows, nullptr);
  const hid_t data =
      H5Dcreate2(file, dataset.c_str(), stored, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  H5Dwrite(data, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
  H5Dclose(data);
  H5Sclose(space);
  H5Tclose(memory);
  H5Tclose(stored);
  H5Fclose(file);
}

/// A chunked table that claims rows nobody wrote.
inline void write_hollow_hdf5_table(const std::filesystem::path& path, const std::string& dataset,
                                    const std::vector<Column>& columns, hsize_t rows) {
  const hid_t file = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  const hid_t stored = table_type(columns, true);
  const hid_t space = H5Screate_simple(1, &rows, nullptr);
  const hid_t layout = H5Pcreate(H5P_DATASET_CREATE);
  const hsize_t chunk = 1024;
  H5Pset_chunk(layout, 1, &chunk);
  const hid_t data =
      H5Dcreate2(file, dataset.c_str(), stored, space, H5P_DEFAULT, layout, H5P_DEFAULT);
  H5Dclose(data);
  H5Pclose(layout);
  H5Sclose(space);
  H5Tclose(stored);
  H5Fclose(file);
}

}  // namespace chop::testing
