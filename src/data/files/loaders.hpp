// One loader for each kind of file; by_path.cpp chooses among them.
#pragma once

#include <filesystem>

#include "data/dataset.hpp"

namespace chop::data {

/// .csv and .tsv: the label is the column named label, class, target or y, else the last one.
Result<Dataset> load_csv(const std::filesystem::path& path, const DataOptions& options);
/// .arff: the label is the attribute of texts, else found as in .csv.
Result<Dataset> load_arff(const std::filesystem::path& path, const DataOptions& options);
/// .npy: features, with the labels in another file beside it.
Result<Dataset> load_npy(const std::filesystem::path& path, const DataOptions& options);
/// .npz: x and y, or x_train, y_train, x_test and y_test, or the last two alone.
Result<Dataset> load_npz(const std::filesystem::path& path, const DataOptions& options);

}  // namespace chop::data
