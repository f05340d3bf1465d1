// ARFF files: the label is the attribute of texts, or else chosen by its name as in CSV.
#include "data/files/loaders.hpp"
#include "data/files/table_file.hpp"
#include "io/tables/arff.hpp"

namespace chop::data {

Result<Dataset> load_arff(const std::filesystem::path& path, const DataOptions& options) {
  CH_TRY(ArffTable table, read_arff(path));
  TableFile file{.values = std::move(table.values)};
  std::optional<std::size_t> text;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    file.columns.push_back(table.columns[i].name);
    if (!table.columns[i].is_text) continue;
    if (text)
      return Error{.what = cat("'", path.string(), "': the attributes '", file.columns[*text],
                               "' and '", file.columns[i], "' both hold texts"),
                   .hint = "one of texts, the label, is read; the features are numbers"};
    text = i;
    file.categories = std::move(table.columns[i].categories);
  }
  file.label = text ? *text : label_column(file.columns.size(), file.columns);
  return dataset_from_table(std::move(file), path, options);
}

}  // namespace chop::data
