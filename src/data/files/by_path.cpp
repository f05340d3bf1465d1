#include "data/files/by_path.hpp"

#include <cctype>

#include "data/files/loaders.hpp"
#include "data/registry.hpp"

namespace chop::data {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 8> kEndings = {".csv",  ".tsv", ".npy",  ".npz",
                                                      ".arff", ".h5",  ".hdf5", ".z"};

/// A folder with the files of CIFAR-10 or MNIST.
Result<Dataset> load_folder(const fs::path& path, DataOptions options) {
  std::error_code ignored;
  const bool cifar = fs::exists(path / "test_batch.bin", ignored) ||
                     fs::exists(path / "cifar-10-batches-bin", ignored) ||
                     fs::exists(path / "cifar-10-binary.tar.gz", ignored);
  options.path = path;
  CH_TRY(const DatasetDef* def, find_dataset(cifar ? "cifar10" : "mnist"));
  return def->load(options);
}

}  // namespace

std::string lower_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

bool has_ending_of_data(const fs::path& path) {
  const std::string ending = lower_case(path.extension().string());
  return std::find(kEndings.begin(), kEndings.end(), ending) != kEndings.end();
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
  if (ending == ".csv" || ending == ".tsv") return load_csv(path, options);
  if (ending == ".arff") return load_arff(path, options);
  if (ending == ".npy") return load_npy(path, options);
  if (ending == ".npz") return load_npz(path, options);
  if (ending == ".h5" || ending == ".hdf5" || ending == ".z") {
    DataOptions jets = options;
    jets.path = path;
    CH_TRY(const DatasetDef* def, find_dataset("jsc"));
    return def->load(jets);
  }
  return Error{.what = cat("'", path.string(), "' is not a kind of file that holds data"),
               .hint = ".csv, .tsv, .npy, .npz, .arff, .h5, .hdf5 and .z are read"};
}

}  // namespace chop::data
