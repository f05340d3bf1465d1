// The data sets known by name, one file each in defs/.
#pragma once

#include "data/dataset.hpp"

namespace chop::data {

/// A file that `ch data get` downloads into the folder of the data set.
struct DataSource {
  std::string file;  ///< its name there
  std::string url;   ///< http or https
  /// Where the address of the file is not fixed: `url` answers with JSON, and this entry of it
  /// ("data_set_description.url") is the address.
  std::string address_entry = {};
  std::string page = {};    ///< where people find it, if `url` is not the file itself
  std::string sha256 = {};  ///< empty: the sum of the first download is kept, later ones compared
  std::uint64_t bytes = 0;  ///< its size; 0: not known
  std::uint64_t limit = 0;  ///< the most bytes that are accepted, where the size is not known
  std::string starts_with = {};  ///< its first bytes, where all such files begin alike
  /// What is wrong with a first download, where no sum is known: cut short, or another file.
  Status (*check)(const std::filesystem::path&) = nullptr;
  std::vector<std::string> instead = {};  ///< other names in the folder under which it is read
};

struct DatasetDef {
  std::string name;
  std::string doc;  ///< one line
  Shape sample_shape;
  std::int64_t num_classes = 0;
  std::vector<std::string> class_names = {};
  std::vector<DataSource> sources = {};  ///< none: generated
  std::string without = {};              ///< what is used while the files are missing; or nothing
  /// Files that are given by path and read as this data set, by their endings: ".h5".
  std::vector<std::string> endings = {};
  /// A folder that is given by path and has one of the files of `sources` is read as this data set.
  bool takes_folders = false;
  Result<Dataset> (*load)(const DataOptions&) = nullptr;
};

/// In alphabetical order.
const std::vector<DatasetDef>& all_datasets();

/// The definition of that name; otherwise an error with the nearest name.
Result<const DatasetDef*> find_dataset(std::string_view name);

/// Where the files of a data set are looked for unless a path is given.
std::filesystem::path dataset_folder(std::string_view name);

}  // namespace chop::data
