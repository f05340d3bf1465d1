// CSV and TSV files: one sample a row, its label in one of the columns.
//
//     mass,tau21,label
//     81.2,0.43,t
//     12.9,0.71,q
//
// has the features mass and tau21, and the classes q and t, in sorted order.
#include "data/files/loaders.hpp"
#include "data/files/table_file.hpp"
#include "io/tables/csv.hpp"

namespace chop::data {

Result<Dataset> load_csv(const std::filesystem::path& path, const DataOptions& options) {
  const char separator = path.extension() == ".tsv" ? '\t' : ',';
  CH_TRY(
      CsvTable table,
      read_csv(path, {.separator = separator, .text_column = label_column, .rows = options.rows}));
  return dataset_from_table({.columns = std::move(table.columns),
                             .values = std::move(table.values),
                             .label = *table.text_column,
                             .categories = std::move(table.categories),
                             .more_labels = std::move(table.more_labels)},
                            path, options);
}

}  // namespace chop::data
