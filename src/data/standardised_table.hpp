// Tables of features and labels as data sets: split 80/20 as scikit-learn's train_test_split does,
// standardised on the train rows, and kept in the cache folder in that form.
#pragma once

#include <functional>

#include "data/splits.hpp"

namespace chop::data {

/// A table as read or generated.
struct LabelledRows {
  std::shared_ptr<const void> owner;  ///< keeps the values alive
  RowTable<double> table;
  std::vector<std::uint8_t> labels;
  std::vector<std::uint32_t> kept;  ///< the rows that are used
};

/// What a table is made from, and the name under which its prepared form is kept.
struct TableSource {
  std::filesystem::path file;  ///< empty: generated
  std::int64_t rows = 0;       ///< 0: all
  std::uint64_t seed = 42;
  std::string key;              ///< everything the prepared form depends on
  std::filesystem::path cache;  ///< a file in the folder of the data set
  bool caching = true;
};

/// Of the data set `name`, from this file. An error when it cannot be read.
Result<TableSource> table_source(const std::string& name, const std::filesystem::path& file,
                                 const DataOptions& options);

/// Makes or reads the rows of `source`; may add notes.
using ReadRows = std::function<Result<LabelledRows>(std::vector<std::string>& notes)>;

/// Fills the splits, the mean and the scale of a data set whose name, classes and sample shape are
/// set: from the cache, or by `read`.
Status fill_from_table(Dataset& dataset, const TableSource& source, const DataOptions& options,
                       const ReadRows& read);

}  // namespace chop::data
