#include "data/files/by_path.hpp"

#include "data/files/loaders.hpp"
#include "data/registry.hpp"
#include "support/text.hpp"

namespace chop::data {
namespace {

namespace fs = std::filesystem;

/// Files that hold a data set of the user's own.
struct FileKind {
  std::string_view ending;
  Result<Dataset> (*load)(const fs::path&, const DataOptions&);
};
constexpr std::array<FileKind, 5> kKinds = {{{".csv", load_csv},
                                             {".tsv", load_csv},
                                             {".npy", load_npy},
                                             {".npz", load_npz},
                                             {".arff", load_arff}}};

const FileKind* kind_of(std::string_view ending) {
  const auto* const kind = std::find_if(
      kKinds.begin(), kKinds.end(), [&](const FileKind& each) { return each.ending == ending; });
  return kind == kKinds.end() ? nullptr : kind;
}

/// The data set whose files have this ending; null: none.
const DatasetDef* dataset_with_ending(const std::string& ending) {
  for (const DatasetDef& def : all_datasets())
    if (std::find(def.endings.begin(), def.endings.end(), ending) != def.endings.end()) return &def;
  return nullptr;
}

bool has_file_of(const DatasetDef& def, const fs::path& folder) {
  std::error_code ignored;
  return std::any_of(def.sources.begin(), def.sources.end(), [&](const DataSource& source) {
    return fs::exists(folder / source.file, ignored) ||
           std::any_of(source.instead.begin(), source.instead.end(),
                       [&](const std::string& name) { return fs::exists(folder / name, ignored); });
  });
}

Result<Dataset> load_as(const DatasetDef& def, const fs::path& path, DataOptions options) {
  options.path = path;
  return def.load(options);
}

Result<Dataset> load_folder(const fs::path& path, const DataOptions& options) {
  std::vector<std::string> names;
  for (const DatasetDef& def : all_datasets()) {
    if (!def.takes_folders) continue;
    if (has_file_of(def, path)) return load_as(def, path, options);
    names.push_back(cat(def.name, " (", def.sources.front().file, ")"));
  }
  return Error{.what = cat("the folder '", path.string(), "' has no file of a data set"),
               .hint = cat("folders of ", join(names, " and "),
                           " are read; of another data set name it, and its folder with --data")};
}

std::string all_endings() {
  std::vector<std::string> endings;
  for (const FileKind& kind : kKinds) endings.emplace_back(kind.ending);
  for (const DatasetDef& def : all_datasets())
    endings.insert(endings.end(), def.endings.begin(), def.endings.end());
  return join(endings, ", ");
}

}  // namespace

bool has_ending_of_data(const fs::path& path) {
  const std::string ending = lower_case(path.extension().string());
  return kind_of(ending) != nullptr || dataset_with_ending(ending) != nullptr;
}

bool looks_like_path(std::string_view text) {
  std::error_code ignored;
  return fs::exists(text, ignored) || has_ending_of_data(text);
}

Result<Dataset> load_by_path(const fs::path& path, const DataOptions& options) {
  std::error_code ignored;
  if (options.rows < 0) return Error{.what = cat("cannot take ", options.rows, " rows")};
  if (fs::is_directory(path, ignored)) return load_folder(path, options);
  const std::string ending = lower_case(path.extension().string());
  if (const FileKind* kind = kind_of(ending)) return kind->load(path, options);
  if (const DatasetDef* def = dataset_with_ending(ending)) return load_as(*def, path, options);
  return Error{.what = cat("'", path.string(), "' is not a kind of file that holds data"),
               .hint = cat("files that end with ", all_endings(), " are read")};
}

}  // namespace chop::data
