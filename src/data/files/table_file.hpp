// What the loaders of text tables share: a table with one column of labels, as a data set.
#pragma once

#include <filesystem>

#include "data/dataset.hpp"

namespace chop::data {

struct TableFile {
  std::vector<std::string> columns;  ///< names; may be empty
  Tensor values;                     ///< F64 [rows, columns]
  std::size_t label = 0;             ///< the column of labels
  /// Where the labels are texts: these, and `values` holds their indices.
  std::vector<std::string> categories = {};
  std::vector<double> more_labels = {};  ///< of the rows behind those of `values`
};

/// The column named label, class, target or y, else the last of `count`.
std::size_t label_column(std::size_t count, std::span<const std::string> names);

/// Split as the options say; labels are left out where the options allow it and the columns are as
/// many as the inputs of the network.
Result<Dataset> dataset_from_table(TableFile table, const std::filesystem::path& path,
                                   const DataOptions& options);

}  // namespace chop::data
