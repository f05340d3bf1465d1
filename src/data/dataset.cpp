#include "data/dataset.hpp"

#include "data/files/by_path.hpp"
#include "data/registry.hpp"
#include "support/text.hpp"

namespace chop::data {
namespace {

/// In the order of Validation.
constexpr std::array<std::string_view, 2> kValidationNames = {"split", "train"};

/// (x · scale - mean) / std, as the network was trained; in double, rounded once.
void prepare(Split& split, const DataOptions& options) {
  for (float& x : split.x.mutable_data<float>())
    x = static_cast<float>((static_cast<double>(x) * options.input_scale - options.input_mean) /
                           options.input_std);
}

bool validates_on_train(const Dataset& data) {
  return data.validation.rows() > 0 && data.validation.y.bytes() == data.train.y.bytes();
}

std::int64_t rows_in_splits(const Dataset& data) {
  return data.train.rows() + (validates_on_train(data) ? 0 : data.validation.rows()) +
         data.test.rows();
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

std::vector<std::string_view> validation_names() {
  return {kValidationNames.begin(), kValidationNames.end()};
}

std::optional<Validation> parse_validation(std::string_view name) {
  const auto* found = std::find(kValidationNames.begin(), kValidationNames.end(), name);
  if (found == kValidationNames.end()) return {};
  return static_cast<Validation>(found - kValidationNames.begin());
}

std::string describe_rows(const Dataset& data) {
  std::string text = shown_rows(rows_in_splits(data), total_rows(data));
  if (!data.labelled) return text + ", without labels";
  if (data.train.rows() == 0) return text + ", all to test with";
  return cat(text, ": ", with_commas(data.train.rows()), " train, ",
             validates_on_train(data) ? "the same" : with_commas(data.validation.rows()),
             " validation, ", with_commas(data.test.rows()), " test");
}

std::int64_t total_rows(const Dataset& data) {
  return std::max(data.in_file, rows_in_splits(data));
}

std::string shown_rows(std::int64_t used, std::int64_t all) {
  return used == all ? counted(all, "row") : cat(with_commas(used), " of ", counted(all, "row"));
}

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
