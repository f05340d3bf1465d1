#include "data/registry.hpp"

#include "support/system/files.hpp"
#include "support/text.hpp"

#include "datasets.inc"

namespace chop::data {

const std::vector<DatasetDef>& all_datasets() {
  static const std::vector<DatasetDef> all = datasets::collected();
  return all;
}

Result<const DatasetDef*> find_dataset(std::string_view name) {
  std::vector<std::string> names;
  for (const DatasetDef& def : all_datasets()) {
    if (def.name == name) return &def;
    names.push_back(def.name);
  }
  return Error{.what = cat("unknown data set '", name, "'"),
               .hint = did_you_mean(name, names) + "known are " + join(names, ", ") +
                       ", and paths of .csv, .npy, .npz, .arff and .h5 files"};
}

std::filesystem::path dataset_folder(std::string_view name) {
  return cache_folder() / "dataset" / name;
}

}  // namespace chop::data
