// Numeric CSV files, with or without a header line; one column may hold text.
#pragma once

#include <filesystem>
#include <functional>

#include "tensor/tensor.hpp"

namespace chop::io {

struct CsvOptions {
  DType dtype = DType::F64;  ///< F64 or F32
  char separator = ',';
  /// Given the number of columns and their names (none without a header line), the one
  /// column that may hold text. Empty: none may.
  std::function<std::size_t(std::size_t count, std::span<const std::string> names)> text_column =
      {};
  std::int64_t rows = 0;  ///< 0: all; otherwise the values of so many, and the labels of all
};

struct CsvTable {
  std::vector<std::string> columns;  ///< empty without a header line
  Tensor values;                     ///< [rows, columns]
  std::optional<std::size_t> text_column;
  /// When the text column held anything but numbers: its distinct texts, sorted; `values`
  /// then holds their indices.
  std::vector<std::string> categories;
  std::vector<double> more_labels;  ///< the text column of the rows behind those of `values`
};

/// The whole cell as a number; as Python's float() reads it, but without underscores.
bool parse_number(std::string_view cell, double& value);

/// The first line is a header when one of its cells, the text column aside, is not a number.
/// Empty lines are skipped; every other line must have as many cells as the first. "nan" and
/// "inf" are numbers here; the caller decides whether to accept them.
Result<CsvTable> read_csv(const std::filesystem::path& path, const CsvOptions& options = {});
/// The same from text; `name` is the file's name in messages.
Result<CsvTable> parse_csv(std::string_view text, std::string_view name,
                           const CsvOptions& options = {});

}  // namespace chop::io
