// What the loaders of data files share: features and labels as read, and their way into a Dataset.
#pragma once

#include <filesystem>

#include "data/dataset.hpp"
#include "data/splits.hpp"

namespace chop::data {

/// Features and labels as read, before they are split.
struct Samples {
  Tensor x;               ///< F32 or F64 [n, ...]; further columns may follow the features
  Tensor y;               ///< I64 [n]; longer where only the first rows were read
  std::size_t width = 0;  ///< features per row
  std::vector<std::string> feature_names = {};
  std::vector<std::string> class_names = {};
  bool labelled = true;
};

/// From two arrays of any dtype, of which the first may be cut to the rows of the options; errors
/// name the row and column of a NaN and wrong labels.
Result<Samples> samples_from(const Tensor& x, const Tensor& y, const std::string& name,
                             const DataOptions& options);
/// Features without labels.
Result<Samples> samples_from(const Tensor& x, const std::string& name, const DataOptions& options);

struct SamplesSplit {
  Split train;
  Split test;
  Scaler scaler;
};

/// The chosen rows of `samples`, standardised on the train rows when the options ask for it.
SamplesSplit take_split(const Samples& samples, const RowSplit& rows, const Shape& sample_shape,
                        const DataOptions& options);

/// Rows `rows` of a table that was not fitted: with the scaler of another one, or none.
Split take_samples(const Samples& samples, std::span<const std::uint32_t> rows,
                   const Shape& sample_shape, const Scaler& scaler, int threads);

/// The numbers 0 .. count-1, or as many of them as the options ask for.
std::vector<std::uint32_t> first_rows(std::int64_t count, const DataOptions& options);

/// Sets num_classes and, where the file has none, the names of the classes. Labels that are all the
/// same are an error, unless they are optional: then they are none.
Status name_classes(Dataset& dataset, std::int64_t from_labels, const std::string& name,
                    const DataOptions& options);

/// One table of samples as a data set: shuffled and split 80/20, then validation rows are held out;
/// or all of it as test rows, where the options ask for it or labels are missing.
Result<Dataset> split_samples(Samples samples, const std::filesystem::path& path,
                              const DataOptions& options);

}  // namespace chop::data
