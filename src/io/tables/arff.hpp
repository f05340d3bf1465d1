// ARFF: the text format of Weka and OpenML. Attributes with their types, then rows of cells.
//
//     @RELATION jets
//     @ATTRIBUTE zlogz REAL
//     @ATTRIBUTE class {g,q,t,w,z}
//     @DATA
//     -2.93,t
#pragma once

#include <filesystem>

#include "tensor/tensor.hpp"

namespace chop::io {

struct ArffColumn {
  std::string name;
  bool is_text = false;                 ///< nominal, or of type string
  std::vector<std::string> categories;  ///< of a text column, in sorted order
};

struct ArffTable {
  std::string relation;
  std::vector<ArffColumn> columns;
  /// F64 [rows, columns]: numbers, and of texts their index among the categories; a missing number
  /// ("?") is NaN.
  Tensor values;
};

/// Numeric, real and integer attributes, nominal ones and strings; dates, relations and sparse rows
/// are errors. Every row must have a cell for each attribute, every nominal cell must be one of its
/// values. With `rows`, only the first so many are read.
Result<ArffTable> read_arff(const std::filesystem::path& path, std::int64_t rows = 0);
/// The same from text; `name` is the file's name in messages.
Result<ArffTable> parse_arff(std::string_view text, const std::string& name, std::int64_t rows = 0);

}  // namespace chop::io
