#include "data/files/samples.hpp"

#include "data/rows.hpp"
#include "support/text.hpp"

namespace chop::data {
namespace {

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

Tensor take_labels(const Tensor& y, std::span<const std::uint32_t> rows) {
  Tensor taken(DType::I64, {static_cast<std::int64_t>(rows.size())});
  const std::span<std::int64_t> out = taken.mutable_data<std::int64_t>();
  for (std::size_t i = 0; i < rows.size(); ++i) out[i] = y.data<std::int64_t>()[rows[i]];
  return taken;
}

template <class Real>
RowTable<Real> table_of(const Samples& samples) {
  const auto stride = static_cast<std::size_t>(samples.x.size() / samples.x.dim(0));
  return {.values = samples.x.data<Real>(), .stride = stride, .width = samples.width};
}

}  // namespace

Result<Samples> samples_from(const Tensor& x, const Tensor& y, const std::string& name,
                             const DataOptions& options) {
  CH_TRY(Tensor values, features_from(x, name, threads_of(options)));
  const bool cut = options.rows > 0 && values.dim(0) == options.rows && y.size() > options.rows;
  CH_TRY(Tensor labels, labels_from(y, cut ? y.size() : values.dim(0), name));
  const auto width = static_cast<std::size_t>(values.size() / values.dim(0));
  return Samples{.x = std::move(values), .y = std::move(labels), .width = width};
}

Result<Samples> samples_from(const Tensor& x, const std::string& name, const DataOptions& options) {
  const std::int64_t rows = x.rank() == 0 ? 0 : x.dim(0);
  CH_TRY(Samples samples, samples_from(x, Tensor(DType::I64, {rows}), name, options));
  samples.labelled = false;
  return samples;
}

Split take_samples(const Samples& samples, std::span<const std::uint32_t> rows,
                   const Shape& sample_shape, const Scaler& scaler, int threads) {
  Shape shape = sample_shape;
  shape.insert(shape.begin(), static_cast<std::int64_t>(rows.size()));
  Tensor x = samples.x.dtype() == DType::F64
                 ? take_rows(table_of<double>(samples), rows, scaler, threads)
                 : take_rows(table_of<float>(samples), rows, scaler, threads);
  return {.x = x.reshaped(std::move(shape)), .y = take_labels(samples.y, rows)};
}

SamplesSplit take_split(const Samples& samples, const RowSplit& rows, const Shape& sample_shape,
                        const DataOptions& options) {
  const int threads = threads_of(options);
  SamplesSplit parts;
  if (options.standardise)
    parts.scaler = samples.x.dtype() == DType::F64
                       ? fit_scaler(table_of<double>(samples), rows.train, threads)
                       : fit_scaler(table_of<float>(samples), rows.train, threads);
  parts.train = take_samples(samples, rows.train, sample_shape, parts.scaler, threads);
  parts.test = take_samples(samples, rows.test, sample_shape, parts.scaler, threads);
  return parts;
}

std::vector<std::uint32_t> first_rows(std::int64_t count, const DataOptions& options) {
  if (options.rows > 0) count = std::min(count, options.rows);
  std::vector<std::uint32_t> rows(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<std::uint32_t>(i);
  return rows;
}

Status name_classes(Dataset& dataset, std::int64_t from_labels, const std::string& name,
                    const DataOptions& options) {
  if (dataset.class_names.empty()) dataset.class_names = numbered_classes(from_labels);
  dataset.num_classes = static_cast<std::int64_t>(dataset.class_names.size());
  if (dataset.num_classes >= 2) return {};
  if (!options.labels_optional)
    return Error{.what = cat("'", name, "': all samples have the same label"),
                 .hint =
                     "labels are the array y of an .npz file; of a table they are the last column, "
                     "or one named label, class, target or y"};
  dataset.labelled = false;
  dataset.class_names.clear();
  dataset.num_classes = 0;
  return {};
}

namespace {

/// All rows as test rows; there is nothing to fit a scaler to.
Result<Dataset> whole_samples(const Samples& samples, Dataset dataset, const std::string& name,
                              const DataOptions& options) {
  if (options.standardise)
    return Error{
        .what = cat("'", name, "' has only test rows, and nothing to standardise them by"),
        .hint = "standardise them before saving, or have it split as `ch train` does (--split)"};
  const RowSplit rows{.train = {}, .test = first_rows(samples.y.size(), options)};
  SamplesSplit parts = take_split(samples, rows, dataset.sample_shape, options);
  dataset.train = parts.train;
  dataset.validation = std::move(parts.train);
  dataset.test = std::move(parts.test);
  return dataset;
}

}  // namespace

Result<Dataset> split_samples(Samples samples, const std::filesystem::path& path,
                              const DataOptions& options) {
  const std::string name = path.string();
  Dataset dataset{.name = path.stem().string(),
                  .class_names = samples.class_names,
                  .feature_names = samples.feature_names,
                  .labelled = samples.labelled,
                  .in_file = samples.y.size()};
  if (samples.labelled)
    CH_CHECK(name_classes(dataset, count_classes(samples.y.data<std::int64_t>()), name, options));
  const Shape& shape = samples.x.shape();
  dataset.sample_shape = samples.x.rank() == 2 ? Shape{static_cast<std::int64_t>(samples.width)}
                                               : Shape(shape.begin() + 1, shape.end());
  if (options.whole || !dataset.labelled)
    return whole_samples(samples, std::move(dataset), name, options);
  std::int64_t rows = samples.y.size();
  if (options.rows > 0) rows = std::min(rows, options.rows);
  if (rows < 2)
    return Error{
        .what = cat("'", name, "' holds ", counted(rows, "sample"), ", which cannot be split"),
        .hint = "at least 2 are needed, and 14 for a validation split of 10 %"};
  const RowSplit split = train_test_split(rows, 0.2, split_seed(options));
  SamplesSplit parts = take_split(samples, split, dataset.sample_shape, options);
  samples = {};
  dataset.test = std::move(parts.test);
  dataset.mean = std::move(parts.scaler.mean);
  dataset.scale = std::move(parts.scaler.scale);
  CH_CHECK(split_validation(dataset, std::move(parts.train), options));
  return dataset;
}

}  // namespace chop::data
