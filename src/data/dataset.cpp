#include "data/dataset.hpp"

#include "data/by_path.hpp"
#include "data/registry.hpp"

namespace chop {

Result<Dataset> load_dataset(std::string_view name_or_path, const DataOptions& options) {
  Result<const DatasetDef*> def = find_dataset(name_or_path);
  if (def) return def.value()->load(options);
  if (!looks_like_path(name_or_path)) return std::move(def).error();
  if (!options.path.empty())
    return Error{.what = cat("the data set '", name_or_path, "' is a path already, and '",
                             options.path.string(), "' is given as well"),
                 .hint = "give one of them"};
  return load_by_path(name_or_path, options);
}

}  // namespace chop
