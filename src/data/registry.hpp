// The data sets known by name, one file each in defs/.
#pragma once

#include "data/dataset.hpp"

namespace chop::data {

struct DatasetDef {
  std::string name;
  std::string doc;  ///< one line
  Shape sample_shape;
  std::int64_t num_classes = 0;
  std::vector<std::string> class_names = {};
  Result<Dataset> (*load)(const DataOptions&) = nullptr;
};

/// In alphabetical order.
const std::vector<DatasetDef>& all_datasets();

/// The definition of that name; otherwise an error with the nearest name.
Result<const DatasetDef*> find_dataset(std::string_view name);

}  // namespace chop::data
