// Data sets given as files, or as a folder with the files of a data set.
#pragma once

#include "data/dataset.hpp"

namespace chop::data {

/// Whether files with such a name are read as data: "x.csv".
bool has_ending_of_data(const std::filesystem::path& path);

/// True for existing paths and for names with the ending of a data file, so that a misspelt path is
/// reported as a missing file and not as an unknown data set.
bool looks_like_path(std::string_view text);

Result<Dataset> load_by_path(const std::filesystem::path& path, const DataOptions& options);

}  // namespace chop::data
