// jsc_openml: the jets of OpenML's data set 42468, hls4ml_lhc_jets_hlf: 830,000 of them with the
// same sixteen features and five classes as jsc, from another production.
//
// As the papers that use it do: no row is dropped, 80/20 split as scikit-learn's with random_state
// 42, standardised on the train part, and classes numbered in alphabetical order, which is not that
// of jsc. A score here and a score there are about two different data sets.
#include "data/registry.hpp"
#include "data/rows.hpp"
#include "data/standardised_table.hpp"
#include "io/tables/arff.hpp"
#include "io/tables/csv.hpp"
#include "support/text.hpp"

namespace chop::data::datasets::jsc_openml {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kFeatures = 16;
constexpr std::string_view kArff = "hls4ml_lhc_jets_hlf.arff";
constexpr std::string_view kCsv = "hls4ml_lhc_jets_hlf.csv";

std::vector<std::string> class_names() {
  return {"g", "q", "t", "w", "z"};
}

/// A table with one column of texts.
struct Jets {
  std::vector<std::string> columns;  ///< may be empty
  Tensor values;
  std::size_t label = 0;
  std::vector<std::string> categories;  ///< of the label
};

Result<Jets> read_jets_arff(const fs::path& file, std::int64_t rows) {
  CH_TRY(ArffTable table, read_arff(file, rows));
  Jets jets{.values = std::move(table.values)};
  std::size_t texts = 0;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    jets.columns.push_back(table.columns[i].name);
    if (!table.columns[i].is_text) continue;
    ++texts;
    jets.label = i;
    jets.categories = table.columns[i].categories;
  }
  if (texts != 1)
    return Error{.what = cat("'", file.string(), "' has ", texts,
                             " columns of texts where one, the class, is expected")};
  return jets;
}

/// OpenML writes texts in single quotes.
std::string unquoted(const std::string& text) {
  const bool quoted = text.size() > 1 && text.front() == '\'' && text.back() == '\'';
  return quoted ? text.substr(1, text.size() - 2) : text;
}

Result<Jets> read_jets_csv(const fs::path& file, std::int64_t rows) {
  const auto label_column = [](std::size_t count, std::span<const std::string> names) {
    for (std::size_t i = 0; i < names.size(); ++i)
      if (unquoted(names[i]) == "class") return i;
    return count - 1;
  };
  CH_TRY(CsvTable table, read_csv(file, {.text_column = label_column, .rows = rows}));
  Jets jets{.values = std::move(table.values), .label = *table.text_column};
  for (const std::string& name : table.columns) jets.columns.push_back(unquoted(name));
  for (const std::string& name : table.categories) jets.categories.push_back(unquoted(name));
  return jets;
}

Status check_jets(const Jets& jets, const std::string& name) {
  const std::vector<std::string> known = class_names();
  if (jets.values.dim(1) != static_cast<std::int64_t>(kFeatures + 1))
    return Error{.what = cat("'", name, "' has ", jets.values.dim(1), " columns where ", kFeatures,
                             " features and a class are expected"),
                 .hint = "`ch data get jsc_openml` downloads the file"};
  if (jets.categories.empty())
    return Error{.what = cat("'", name, "': its classes are numbers where ", join(known, ", "),
                             " are expected")};
  for (const std::string& category : jets.categories)
    if (std::find(known.begin(), known.end(), category) == known.end())
      return Error{.what = cat("'", name, "': '", category.substr(0, 40), "' is not one of the ",
                               "classes ", join(known, ", "))};
  return {};
}

Status check_file(const fs::path& file) {
  CH_TRY(const Jets jets, read_jets_arff(file, 0));
  return check_jets(jets, file.string());
}

Result<LabelledRows> read_rows(Jets jets, const std::string& name, int threads) {
  CH_CHECK(check_jets(jets, name));
  const std::vector<std::string> known = class_names();
  std::vector<std::uint8_t> number;  // of a category
  for (const std::string& category : jets.categories)
    number.push_back(
        static_cast<std::uint8_t>(std::find(known.begin(), known.end(), category) - known.begin()));
  const std::size_t stride = kFeatures + 1;
  const std::span<double> values = jets.values.mutable_data<double>();
  CH_CHECK(check_finite(std::span<const double>(values), stride,
                        std::span<const std::string>(jets.columns), name, threads));
  LabelledRows rows;
  for (std::size_t at = 0; at < values.size(); at += stride) {
    // The class moves behind the features of its row.
    double* const x = &values[at];
    std::rotate(x + jets.label, x + jets.label + 1, x + stride);
    rows.kept.push_back(static_cast<std::uint32_t>(rows.labels.size()));
    rows.labels.push_back(number[static_cast<std::size_t>(x[kFeatures])]);
  }
  const auto owner = std::make_shared<const Tensor>(std::move(jets.values));
  rows.owner = owner;
  rows.table = {.values = owner->data<double>(), .stride = stride, .width = kFeatures};
  return rows;
}

Result<fs::path> find_file(const DataOptions& options) {
  if (options.rows < 0 || options.rows > 4'000'000'000)
    return Error{.what = cat("data set 'jsc_openml': cannot have ", options.rows, " rows"),
                 .hint = "0 means all"};
  if (!options.path.empty()) return options.path;
  const fs::path folder = dataset_folder("jsc_openml");
  std::error_code ignored;
  for (const std::string_view name : {kArff, kCsv})
    if (fs::is_regular_file(folder / name, ignored)) return folder / name;
  return Error{
      .what = cat("data set 'jsc_openml': no file '", kArff, "' in '", folder.string(), "'"),
      .hint =
          "`ch data get jsc_openml` downloads it; or put it there, or name it with "
          "--data"};
}

Result<Dataset> load(const DataOptions& options) {
  CH_TRY(const fs::path file, find_file(options));
  CH_TRY([[maybe_unused]] const std::int64_t checked, validation_rows(1 << 30, options));
  CH_TRY(const TableSource source, table_source("jsc_openml", file, options));
  Dataset dataset{.name = "jsc_openml",
                  .class_names = class_names(),
                  .sample_shape = {static_cast<std::int64_t>(kFeatures)},
                  .num_classes = 5};
  for (const char* name :
       {"zlogz", "c1_b0_mmdt", "c1_b1_mmdt", "c1_b2_mmdt", "c2_b1_mmdt", "c2_b2_mmdt", "d2_b1_mmdt",
        "d2_b2_mmdt", "d2_a1_b1_mmdt", "d2_a1_b2_mmdt", "m2_b1_mmdt", "m2_b2_mmdt", "n2_b1_mmdt",
        "n2_b2_mmdt", "mass_mmdt", "multiplicity"})
    dataset.feature_names.emplace_back(name);
  dataset.notes.push_back(cat("dataset 'jsc_openml': OpenML's jets from '", file.string(),
                              "', classes ", join(dataset.class_names, ", "),
                              " (jsc has other jets and another order of classes)"));
  const bool csv = file.extension() == ".csv";
  CH_CHECK(fill_from_table(
      dataset, source, options, [&](std::vector<std::string>&) -> Result<LabelledRows> {
        CH_TRY(Jets jets,
               csv ? read_jets_csv(file, source.rows) : read_jets_arff(file, source.rows));
        return read_rows(std::move(jets), file.string(), threads_of(options));
      }));
  return dataset;
}

}  // namespace

DatasetDef define() {
  return {
      .name = "jsc_openml",
      .doc = "other jets than jsc: OpenML 42468, hls4ml_lhc_jets_hlf, 830,000 of 5 classes",
      .sample_shape = {16},
      .num_classes = 5,
      .class_names = class_names(),
      .sources = {{.file = std::string(kArff),
                   .url = "https://api.openml.org/api/v1/json/data/42468",
                   .address_entry = "data_set_description.url",
                   .page = "https://www.openml.org/d/42468",
                   .limit = std::uint64_t{1} << 30U,
                   .check = check_file,
                   .instead = {std::string(kCsv)}}},
      .load = load,
  };
}

}  // namespace chop::data::datasets::jsc_openml
