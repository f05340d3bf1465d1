#include "data/by_path.hpp"

#include <algorithm>
#include <array>
#include <cctype>

#include "data/registry.hpp"
#include "data/rows.hpp"
#include "data/splits.hpp"
#include "io/csv.hpp"
#include "io/npy.hpp"
#include "io/npz.hpp"
#include "support/text.hpp"

namespace chop::data {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 7> kEndings = {".csv", ".tsv",  ".npy", ".npz",
                                                      ".h5",  ".hdf5", ".z"};

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

/// Samples and labels as read, before they are split.
struct Samples {
  Tensor x;               ///< F32 or F64 [n, ...]; further columns may follow the features
  Tensor y;               ///< I64 [n]
  std::size_t width = 0;  ///< features per row
  std::vector<std::string> feature_names = {};
  std::vector<std::string> class_names = {};
};

/// Features of any dtype as F32 or F64, checked.
Result<Tensor> features_from(const Tensor& x, const std::string& name, int threads) {
  if (x.rank() < 2 || x.size() == 0)
    return Error{.what = cat("'", name, "': features of shape ", to_string(x.shape())),
                 .hint = "one row per sample is needed: shape [samples, features]"};
  Tensor values = x.dtype() == DType::F64 ? x : x.to(DType::F32);
  const auto width = static_cast<std::size_t>(values.size() / values.dim(0));
  if (values.dtype() == DType::F64) {
    CH_CHECK(check_finite(values.data<double>(), width, {}, name, threads));
  } else {
    CH_CHECK(check_finite(values.data<float>(), width, {}, name, threads));
  }
  return values;
}

Result<Samples> samples_from(const Tensor& x, const Tensor& y, const std::string& name,
                             int threads) {
  CH_TRY(Tensor values, features_from(x, name, threads));
  CH_TRY(Tensor labels, labels_from(y, values.dim(0), name));
  const auto width = static_cast<std::size_t>(values.size() / values.dim(0));
  return Samples{.x = std::move(values), .y = std::move(labels), .width = width};
}

Tensor take_labels(const Tensor& y, std::span<const std::uint32_t> rows) {
  Tensor taken(DType::I64, {static_cast<std::int64_t>(rows.size())});
  const std::span<std::int64_t> out = taken.mutable_data<std::int64_t>();
  for (std::size_t i = 0; i < rows.size(); ++i) out[i] = y.data<std::int64_t>()[rows[i]];
  return taken;
}

struct Parts {
  Split train;
  Split test;
  Scaler scaler;
};

/// The chosen rows of `samples`, standardised on the train rows when that is asked for.
template <class Real>
Parts take_parts(const Samples& samples, const RowSplit& rows, const Shape& sample_shape,
                 const DataOptions& options) {
  const int threads = threads_of(options);
  const auto stride = static_cast<std::size_t>(samples.x.size() / samples.x.dim(0));
  const RowTable<Real> table{
      .values = samples.x.data<Real>(), .stride = stride, .width = samples.width};
  Parts parts;
  if (options.standardise) parts.scaler = fit_scaler(table, rows.train, threads);
  const auto take = [&](const std::vector<std::uint32_t>& chosen) {
    Shape shape = sample_shape;
    shape.insert(shape.begin(), static_cast<std::int64_t>(chosen.size()));
    return Split{.x = take_rows(table, chosen, parts.scaler, threads).reshaped(std::move(shape)),
                 .y = take_labels(samples.y, chosen)};
  };
  parts.train = take(rows.train);
  parts.test = take(rows.test);
  return parts;
}

Status name_classes(Dataset& dataset, std::int64_t from_labels, const std::string& name) {
  if (dataset.class_names.empty()) dataset.class_names = numbered_classes(from_labels);
  dataset.num_classes = static_cast<std::int64_t>(dataset.class_names.size());
  if (dataset.num_classes < 2)
    return Error{.what = cat("'", name, "': all samples have the same label"),
                 .hint =
                     "labels are expected in the last column or in one named label, class, "
                     "target or y"};
  return {};
}

/// One table of samples: shuffled and split 80/20, then validation set apart.
Result<Dataset> split_samples(Samples samples, const fs::path& path, const DataOptions& options) {
  const std::string name = path.string();
  std::int64_t rows = samples.y.size();
  if (options.rows > 0) rows = std::min(rows, options.rows);
  if (rows < 2)
    return Error{.what = cat("'", name, "': ", rows, " samples cannot be split"),
                 .hint = "at least 2 are needed, and 14 for a validation split of 10 %"};
  Dataset dataset{.name = path.stem().string(),
                  .class_names = samples.class_names,
                  .feature_names = samples.feature_names};
  CH_CHECK(name_classes(dataset, count_classes(samples.y.data<std::int64_t>()), name));
  const Shape& shape = samples.x.shape();
  dataset.sample_shape = samples.x.rank() == 2 ? Shape{static_cast<std::int64_t>(samples.width)}
                                               : Shape(shape.begin() + 1, shape.end());
  const RowSplit split = train_test_split(rows, 0.2, split_seed(options));
  Parts parts = samples.x.dtype() == DType::F64
                    ? take_parts<double>(samples, split, dataset.sample_shape, options)
                    : take_parts<float>(samples, split, dataset.sample_shape, options);
  samples = {};
  dataset.test = std::move(parts.test);
  dataset.mean = std::move(parts.scaler.mean);
  dataset.scale = std::move(parts.scaler.scale);
  CH_CHECK(split_validation(dataset, std::move(parts.train), options));
  return dataset;
}

std::size_t label_column(std::size_t count, std::span<const std::string> names) {
  for (const std::string_view wanted : {"label", "class", "target", "y"})
    for (std::size_t i = 0; i < names.size(); ++i)
      if (lower(names[i]) == wanted) return i;
  return count - 1;
}

/// Classes named exactly as those of a known data set take its order, so that a network
/// trained on jsc can be tested on a CSV of jets; others keep the sorted order of the reader.
void use_known_order(CsvTable& table, std::vector<std::string>& notes) {
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
    for (std::size_t i = *table.text_column; i < values.size(); i += columns)
      values[i] = number[static_cast<std::size_t>(values[i])];
    table.categories = known;
    notes.push_back(cat("classes numbered as in '", def.name, "': ", join(known, ", ")));
    return;
  }
}

Result<Dataset> load_csv(const fs::path& path, const DataOptions& options) {
  const char separator = path.extension() == ".tsv" ? '\t' : ',';
  CH_TRY(CsvTable table, read_csv(path, {.separator = separator, .text_column = label_column}));
  const std::string name = path.string();
  const auto columns = static_cast<std::size_t>(table.values.dim(1));
  if (columns < 2)
    return Error{.what = cat("'", name, "' has one column"),
                 .hint = "features and a label are needed, separated by commas"};
  CH_CHECK(check_finite(table.values.data<double>(), columns,
                        std::span<const std::string>(table.columns), name, threads_of(options)));
  std::vector<std::string> notes;
  use_known_order(table, notes);
  // The label moves behind the features of its row.
  const std::size_t label = *table.text_column;
  const std::span<double> values = table.values.mutable_data<double>();
  Tensor labels(DType::F64, {table.values.dim(0)});
  const std::span<double> label_values = labels.mutable_data<double>();
  for (std::size_t row = 0; row < label_values.size(); ++row) {
    double* const x = &values[row * columns];
    std::rotate(x + label, x + label + 1, x + columns);
    label_values[row] = x[columns - 1];
  }
  if (!table.columns.empty())
    table.columns.erase(table.columns.begin() + static_cast<std::ptrdiff_t>(label));
  CH_TRY(Tensor y, labels_from(labels, table.values.dim(0), name));
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

/// X_labels.npy for X.npy, and for X_anything.npy.
Result<fs::path> label_file(const fs::path& path) {
  const std::string stem = path.stem().string();
  std::vector<std::string> candidates = {stem + "_labels.npy"};
  if (const std::size_t cut = stem.rfind('_'); cut != std::string::npos && cut > 0)
    candidates.push_back(stem.substr(0, cut) + "_labels.npy");
  std::error_code ignored;
  for (const std::string& candidate : candidates) {
    fs::path labels = path.parent_path() / candidate;
    if (fs::is_regular_file(labels, ignored)) return labels;
  }
  return Error{.what = cat("no labels found for '", path.string(), "'"),
               .hint = cat("save them beside it as ", join(candidates, " or "),
                           ", or both in one .npz file as x and y")};
}

Result<Dataset> load_npy(const fs::path& path, const DataOptions& options) {
  CH_TRY(const Tensor x, read_npy(path));
  CH_TRY(const fs::path beside, label_file(path));
  CH_TRY(const Tensor y, read_npy(beside));
  CH_TRY(Samples samples, samples_from(x, y, path.string(), threads_of(options)));
  return split_samples(std::move(samples), path, options);
}

const Tensor* find(const NpzArrays& arrays, std::string_view name) {
  for (const auto& [key, tensor] : arrays)
    if (key == name) return &tensor;
  return nullptr;
}

std::vector<std::uint32_t> first_rows(std::int64_t count, const DataOptions& options) {
  if (options.rows > 0) count = std::min(count, options.rows);
  std::vector<std::uint32_t> rows(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<std::uint32_t>(i);
  return rows;
}

/// Arrays that name their test rows: only validation is set apart.
Result<Dataset> load_split_npz(const NpzArrays& arrays, const fs::path& path,
                               const DataOptions& options) {
  const int threads = threads_of(options);
  const std::string name = path.string();
  CH_TRY(Samples train, samples_from(*find(arrays, "x_train"), *find(arrays, "y_train"),
                                     name + ":x_train", threads));
  CH_TRY(Samples test,
         samples_from(*find(arrays, "x_test"), *find(arrays, "y_test"), name + ":x_test", threads));
  const Shape shape(train.x.shape().begin() + 1, train.x.shape().end());
  if (shape != Shape(test.x.shape().begin() + 1, test.x.shape().end()))
    return Error{.what = cat("'", name, "': x_train has shape ", to_string(train.x.shape()),
                             ", x_test ", to_string(test.x.shape()))};
  Dataset dataset{.name = path.stem().string(), .sample_shape = shape};
  CH_CHECK(name_classes(dataset,
                        std::max(count_classes(train.y.data<std::int64_t>()),
                                 count_classes(test.y.data<std::int64_t>())),
                        name));
  const RowSplit train_rows{.train = first_rows(train.y.size(), options), .test = {}};
  Parts parts = train.x.dtype() == DType::F64
                    ? take_parts<double>(train, train_rows, shape, options)
                    : take_parts<float>(train, train_rows, shape, options);
  const std::vector<std::uint32_t> test_rows = first_rows(test.y.size(), options);
  Shape test_shape = test.x.shape();
  test_shape[0] = static_cast<std::int64_t>(test_rows.size());
  const auto take_test = [&]<class Real>(Real) {
    const RowTable<Real> table{
        .values = test.x.data<Real>(), .stride = test.width, .width = test.width};
    return take_rows(table, test_rows, parts.scaler, threads).reshaped(test_shape);
  };
  dataset.test = {.x = test.x.dtype() == DType::F64 ? take_test(double{}) : take_test(float{}),
                  .y = take_labels(test.y, test_rows)};
  dataset.mean = std::move(parts.scaler.mean);
  dataset.scale = std::move(parts.scaler.scale);
  CH_CHECK(split_validation_shuffled(dataset, std::move(parts.train), options));
  return dataset;
}

/// Arrays that are all for testing: nothing is left to train on.
Result<Dataset> load_test_npz(const NpzArrays& arrays, const fs::path& path,
                              const DataOptions& options) {
  const std::string name = path.string();
  if (options.standardise)
    return Error{
        .what = cat("'", name, "' has test rows alone, and nothing to standardise them by"),
        .hint = "standardise them before saving, or add x_train and y_train"};
  CH_TRY(Samples test, samples_from(*find(arrays, "x_test"), *find(arrays, "y_test"),
                                    name + ":x_test", threads_of(options)));
  const Shape shape(test.x.shape().begin() + 1, test.x.shape().end());
  Dataset dataset{.name = path.stem().string(), .sample_shape = shape};
  CH_CHECK(name_classes(dataset, count_classes(test.y.data<std::int64_t>()), name));
  const RowSplit rows{.train = {}, .test = first_rows(test.y.size(), options)};
  Parts parts = test.x.dtype() == DType::F64 ? take_parts<double>(test, rows, shape, options)
                                             : take_parts<float>(test, rows, shape, options);
  dataset.train = parts.train;
  dataset.validation = std::move(parts.train);
  dataset.test = std::move(parts.test);
  return dataset;
}

Result<Dataset> load_npz(const fs::path& path, const DataOptions& options) {
  CH_TRY(const NpzArrays arrays, read_npz(path));
  const auto has = [&](std::initializer_list<std::string_view> names) {
    return std::all_of(names.begin(), names.end(),
                       [&](std::string_view name) { return find(arrays, name) != nullptr; });
  };
  if (has({"x_train", "y_train", "x_test", "y_test"})) return load_split_npz(arrays, path, options);
  if (has({"x_test", "y_test"})) return load_test_npz(arrays, path, options);
  if (has({"x", "y"})) {
    CH_TRY(Samples samples, samples_from(*find(arrays, "x"), *find(arrays, "y"), path.string(),
                                         threads_of(options)));
    return split_samples(std::move(samples), path, options);
  }
  std::vector<std::string> names;
  for (const auto& [name, tensor] : arrays) names.push_back(name);
  return Error{
      .what = cat("'", path.string(), "' holds the arrays ",
                  names.empty() ? "(none)" : join(names, ", ")),
      .hint = "needed are x and y, or x_train, y_train, x_test and y_test, or the last two alone"};
}

/// A folder is the data set whose files it holds.
Result<Dataset> load_folder(const fs::path& path, DataOptions options) {
  std::error_code ignored;
  const bool cifar = fs::exists(path / "test_batch.bin", ignored) ||
                     fs::exists(path / "cifar-10-batches-bin", ignored);
  options.path = path;
  CH_TRY(const DatasetDef* def, find_dataset(cifar ? "cifar10" : "mnist"));
  return def->load(options);
}

}  // namespace

bool looks_like_path(std::string_view text) {
  std::error_code ignored;
  const fs::path path(text);
  const std::string ending = lower(path.extension().string());
  return fs::exists(path, ignored) ||
         std::find(kEndings.begin(), kEndings.end(), ending) != kEndings.end();
}

Result<Dataset> load_by_path(const fs::path& path, const DataOptions& options) {
  std::error_code ignored;
  if (options.rows < 0) return Error{.what = cat("cannot take ", options.rows, " rows")};
  if (fs::is_directory(path, ignored)) return load_folder(path, options);
  const std::string ending = lower(path.extension().string());
  if (ending == ".csv" || ending == ".tsv") return load_csv(path, options);
  if (ending == ".npy") return load_npy(path, options);
  if (ending == ".npz") return load_npz(path, options);
  if (ending == ".h5" || ending == ".hdf5" || ending == ".z") {
    DataOptions jets = options;
    jets.path = path;
    CH_TRY(const DatasetDef* def, find_dataset("jsc"));
    return def->load(jets);
  }
  return Error{.what = cat("'", path.string(), "' is not a kind of file that holds data"),
               .hint = ".csv, .tsv, .npy, .npz, .h5, .hdf5 and .z are read"};
}

}  // namespace chop::data
