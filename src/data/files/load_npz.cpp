// Arrays of a .npz file, as numpy.savez(file, x=..., y=...) writes it.

#include "data/files/loaders.hpp"
#include "data/files/samples.hpp"
#include "data/rows.hpp"
#include "io/npz.hpp"
#include "support/text.hpp"

namespace chop::data {
namespace {

namespace fs = std::filesystem;

const Tensor* find(const NpzArrays& arrays, std::string_view name) {
  for (const auto& [key, tensor] : arrays)
    if (key == name) return &tensor;
  return nullptr;
}

/// x_train, y_train, x_test and y_test: only validation rows are held out.
Result<Dataset> load_split_npz(const NpzArrays& arrays, const fs::path& path,
                               const DataOptions& options) {
  const int threads = threads_of(options);
  const std::string name = path.string();
  CH_TRY(Samples train, samples_from(*find(arrays, "x_train"), *find(arrays, "y_train"),
                                     name + ":x_train", options));
  CH_TRY(Samples test,
         samples_from(*find(arrays, "x_test"), *find(arrays, "y_test"), name + ":x_test", options));
  const Shape shape(train.x.shape().begin() + 1, train.x.shape().end());
  if (shape != Shape(test.x.shape().begin() + 1, test.x.shape().end()))
    return Error{.what = cat("'", name, "': x_train has shape ", to_string(train.x.shape()),
                             ", x_test ", to_string(test.x.shape()))};
  Dataset dataset{.name = path.stem().string(),
                  .sample_shape = shape,
                  .in_file = train.y.size() + test.y.size()};
  CH_CHECK(name_classes(dataset,
                        std::max(count_classes(train.y.data<std::int64_t>()),
                                 count_classes(test.y.data<std::int64_t>())),
                        name, options));
  const RowSplit train_rows{.train = first_rows(train.y.size(), options), .test = {}};
  SamplesSplit parts = take_split(train, train_rows, shape, options);
  dataset.test =
      take_samples(test, first_rows(test.y.size(), options), shape, parts.scaler, threads);
  dataset.mean = std::move(parts.scaler.mean);
  dataset.scale = std::move(parts.scaler.scale);
  CH_CHECK(split_validation_shuffled(dataset, std::move(parts.train), options));
  return dataset;
}

/// The samples of a file without labels: the array with the name of an input, else x, x_train or
/// x_test, else the only one there is.
const Tensor* unlabelled_array(const NpzArrays& arrays, const DataOptions& options) {
  if (!options.labels_optional) return nullptr;
  for (const std::string& input : options.inputs)
    if (const Tensor* found = find(arrays, input)) return found;
  for (const std::string_view name : {"x", "x_train", "x_test"})
    if (const Tensor* found = find(arrays, name)) return found;
  return arrays.size() == 1 ? &arrays.front().second : nullptr;
}

}  // namespace

Result<Dataset> load_npz(const fs::path& path, const DataOptions& options) {
  CH_TRY(const NpzArrays arrays, read_npz(path, options.rows));
  const auto has = [&](std::initializer_list<std::string_view> names) {
    return std::all_of(names.begin(), names.end(),
                       [&](std::string_view name) { return find(arrays, name) != nullptr; });
  };
  if (has({"x_train", "y_train", "x_test", "y_test"})) return load_split_npz(arrays, path, options);
  const auto samples = [&](std::string_view x, std::string_view y) {
    return samples_from(*find(arrays, x), *find(arrays, y), path.string(), options);
  };
  if (has({"x_test", "y_test"})) {
    CH_TRY(Samples test, samples("x_test", "y_test"));
    DataOptions whole = options;
    whole.whole = true;  // the data set has no train rows
    return split_samples(std::move(test), path, whole);
  }
  if (has({"x", "y"})) {
    CH_TRY(Samples all, samples("x", "y"));
    return split_samples(std::move(all), path, options);
  }
  if (const Tensor* x = unlabelled_array(arrays, options)) {
    CH_TRY(Samples all, samples_from(*x, path.string(), options));
    return split_samples(std::move(all), path, options);
  }
  std::vector<std::string> names;
  for (const auto& [name, tensor] : arrays) names.push_back(name);
  return Error{
      .what = cat("'", path.string(), "' holds the arrays ",
                  names.empty() ? "(none)" : join(names, ", ")),
      .hint = "needed are x and y, or x_train, y_train, x_test and y_test, or the last two alone"};
}

}  // namespace chop::data
