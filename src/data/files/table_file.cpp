#include "data/files/table_file.hpp"

#include "data/files/loaders.hpp"
#include "data/files/samples.hpp"
#include "data/registry.hpp"
#include "data/rows.hpp"
#include "support/text.hpp"

namespace chop::data {
namespace {

/// Classes named exactly as those of a known data set take its order, so that a network
/// trained on jsc can be tested on a CSV of jets; others keep the sorted order of the reader.
void use_known_order(TableFile& table, std::vector<std::string>& notes) {
  if (table.categories.empty()) return;
  for (const DatasetDef& def : all_datasets()) {
    const std::vector<std::string>& known = def.class_names;
    if (!std::is_permutation(known.begin(), known.end(), table.categories.begin(),
                             table.categories.end()))
      continue;
    std::vector<double> number;
    for (const std::string& name : table.categories)
      number.push_back(
          static_cast<double>(std::find(known.begin(), known.end(), name) - known.begin()));
    const std::span<double> values = table.values.mutable_data<double>();
    const auto columns = static_cast<std::size_t>(table.values.dim(1));
    for (std::size_t i = table.label; i < values.size(); i += columns)
      values[i] = number[static_cast<std::size_t>(values[i])];
    for (double& label : table.more_labels) label = number[static_cast<std::size_t>(label)];
    table.categories = known;
    notes.push_back(cat("classes numbered as in '", def.name, "': ", join(known, ", ")));
    return;
  }
}

}  // namespace

std::size_t label_column(std::size_t count, std::span<const std::string> names) {
  for (const std::string_view wanted : {"label", "class", "target", "y"})
    for (std::size_t i = 0; i < names.size(); ++i)
      if (lower_case(names[i]) == wanted) return i;
  return count - 1;
}

Result<Dataset> dataset_from_table(TableFile table, const std::filesystem::path& path,
                                   const DataOptions& options) {
  const std::string name = path.string();
  const auto columns = static_cast<std::size_t>(table.values.dim(1));
  const bool unlabelled = options.labels_optional && table.categories.empty() &&
                          static_cast<std::int64_t>(columns) == options.input_width;
  if (columns < 2 && !unlabelled)
    return Error{.what = cat("'", name, "' has one column"),
                 .hint = "features and a label are needed, separated by commas"};
  CH_CHECK(check_finite(table.values.data<double>(), columns,
                        std::span<const std::string>(table.columns), name, threads_of(options)));
  if (unlabelled)
    return split_samples({.x = table.values,
                          .y = Tensor(DType::I64, {table.values.dim(0)}),
                          .width = columns,
                          .feature_names = std::move(table.columns),
                          .labelled = false},
                         path, options);
  std::vector<std::string> notes;
  use_known_order(table, notes);
  // The label moves behind the features of its row.
  const std::size_t label = table.label;
  const std::span<double> values = table.values.mutable_data<double>();
  const auto rows = static_cast<std::size_t>(table.values.dim(0));
  Tensor labels(DType::F64, {static_cast<std::int64_t>(rows + table.more_labels.size())});
  const std::span<double> label_values = labels.mutable_data<double>();
  std::copy(table.more_labels.begin(), table.more_labels.end(),
            label_values.begin() + static_cast<std::ptrdiff_t>(rows));
  for (std::size_t row = 0; row < rows; ++row) {
    double* const x = &values[row * columns];
    std::rotate(x + label, x + label + 1, x + columns);
    label_values[row] = x[columns - 1];
  }
  if (!table.columns.empty())
    table.columns.erase(table.columns.begin() + static_cast<std::ptrdiff_t>(label));
  CH_TRY(Tensor y, labels_from(labels, labels.size(), name));
  CH_TRY(Dataset dataset, split_samples({.x = std::move(table.values),
                                         .y = std::move(y),
                                         .width = columns - 1,
                                         .feature_names = std::move(table.columns),
                                         .class_names = std::move(table.categories)},
                                        path, options));
  for (const std::string& note : notes)
    dataset.notes.push_back(cat("dataset '", dataset.name, "': ", note));
  return dataset;
}

}  // namespace chop::data
