// A .npy file of features, with its labels in a second file: jets.npy and jets_labels.npy.

#include "data/files/loaders.hpp"
#include "data/files/samples.hpp"
#include "io/npy.hpp"
#include "support/text.hpp"

namespace chop::data {
namespace {

namespace fs = std::filesystem;

/// X_labels.npy for X.npy, and for X_anything.npy; nothing where labels are optional and missing.
Result<std::optional<fs::path>> label_file(const fs::path& path, const DataOptions& options) {
  const std::string stem = path.stem().string();
  std::vector<std::string> candidates = {stem + "_labels.npy"};
  if (const std::size_t cut = stem.rfind('_'); cut != std::string::npos && cut > 0)
    candidates.push_back(stem.substr(0, cut) + "_labels.npy");
  std::error_code ignored;
  for (const std::string& candidate : candidates) {
    fs::path labels = path.parent_path() / candidate;
    if (fs::is_regular_file(labels, ignored)) return std::optional(std::move(labels));
  }
  if (options.labels_optional) return std::optional<fs::path>();
  return Error{.what = cat("no labels found for '", path.string(), "'"),
               .hint = cat("save them beside it as ", join(candidates, " or "),
                           ", or both in one .npz file as x and y")};
}

}  // namespace

Result<Dataset> load_npy(const fs::path& path, const DataOptions& options) {
  CH_TRY(const Tensor x, read_npy(path, options.rows));
  CH_TRY(const std::optional<fs::path> beside, label_file(path, options));
  if (!beside) {
    CH_TRY(Samples samples, samples_from(x, path.string(), options));
    return split_samples(std::move(samples), path, options);
  }
  CH_TRY(const Tensor y, read_npy(*beside));
  CH_TRY(Samples samples, samples_from(x, y, path.string(), options));
  return split_samples(std::move(samples), path, options);
}

}  // namespace chop::data
