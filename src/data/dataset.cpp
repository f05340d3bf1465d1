#include "data/dataset.hpp"

#include "data/files/by_path.hpp"
#include "data/registry.hpp"

namespace chop::data {
namespace {

/// (x · scale - mean) / std, as the network was trained; in double, rounded once.
void prepare(Split& split, const DataOptions& options) {
  for (float& x : split.x.mutable_data<float>())
    x = static_cast<float>((static_cast<double>(x) * options.input_scale - options.input_mean) /
                           options.input_std);
}

Result<Dataset> load(std::string_view name_or_path, const DataOptions& options) {
  Result<const DatasetDef*> def = find_dataset(name_or_path);
  if (def) return def.value()->load(options);
  if (!looks_like_path(name_or_path)) return std::move(def).error();
  if (!options.path.empty())
    return Error{.what = cat("the data set '", name_or_path, "' is a path already, and '",
                             options.path.string(), "' is given as well"),
                 .hint = "give one of them"};
  return load_by_path(name_or_path, options);
}

}  // namespace

Result<Dataset> load_dataset(std::string_view name_or_path, const DataOptions& options) {
  CH_TRY(Dataset data, load(name_or_path, options));
  if (options.input_scale == 1 && options.input_mean == 0 && options.input_std == 1) return data;
  if (!(options.input_std > 0))
    return Error{.what = cat("inputs cannot be divided by ", options.input_std),
                 .hint = "give an input_std above zero"};
  for (Split* split : {&data.train, &data.validation, &data.test}) prepare(*split, options);
  return data;
}

}  // namespace chop::data
