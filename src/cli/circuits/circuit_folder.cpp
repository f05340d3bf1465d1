#include "cli/circuits/circuit_folder.hpp"

#include "support/system/files.hpp"
#include "support/text.hpp"

namespace chop::cli {
namespace {

namespace fs = std::filesystem;

/// Links are followed and a slash at the end is left away: what is renamed is the folder itself.
fs::path real_folder(const fs::path& folder) {
  std::error_code error;
  fs::path real = fs::weakly_canonical(fs::absolute(folder, error), error);
  if (error) real = fs::absolute(folder, error).lexically_normal();
  return real.has_filename() ? real : real.parent_path();
}

fs::path waiting_folder(const fs::path& folder) {
  return folder.parent_path() / cat(".", folder.filename().string(), ".new");
}

Status check_replaceable(const fs::path& folder, const fs::path& as_given) {
  std::error_code error;
  if (!fs::exists(folder, error) || fs::exists(folder / "rtl/files.f", error) ||
      fs::is_empty(folder, error))
    return {};
  return Error{.what = cat("'", as_given.string(), "' exists and holds no circuit"),
               .hint = "name another folder with --out"};
}

Status write_all(const Circuit& circuit, const Vectors& vectors, const fs::path& folder) {
  for (const SourceFile& file : files_of(circuit, vectors))
    CH_CHECK(write_file(folder / file.name, file.text));
  return {};
}

}  // namespace

CircuitFolder::CircuitFolder(fs::path folder, FolderLock lock)
    : folder_(std::move(folder)), lock_(std::move(lock)) {}

CircuitFolder::~CircuitFolder() {
  if (!lock_) return;  // moved from
  lock_.reset();
  std::error_code error;
  if (!folder_.empty()) fs::remove(waiting_folder(folder_), error);  // of a run that was killed
}

Result<CircuitFolder> CircuitFolder::take(const fs::path& folder, const std::string& purpose) {
  const fs::path real = real_folder(folder);
  CH_CHECK(check_replaceable(real, folder));
  CH_TRY(FolderLock lock,
         FolderLock::take(waiting_folder(real), purpose, FolderLock::Share::No,
                          "wait until it ends, or name another folder with --out"));
  return CircuitFolder(real, std::move(lock));
}

Status CircuitFolder::write(const Circuit& circuit, const Vectors& vectors) const {
  std::error_code error;
  const fs::path made = waiting_folder(folder_) / "made";
  const fs::path old = waiting_folder(folder_) / "old";
  fs::remove_all(made, error);
  fs::remove_all(old, error);
  if (Status written = write_all(circuit, vectors, made); !written) {
    fs::remove_all(made, error);
    return written;
  }
  error.clear();
  if (fs::exists(folder_, error)) fs::rename(folder_, old, error);
  if (!error) fs::rename(made, folder_, error);
  if (error) {
    std::error_code ignored;
    if (!fs::exists(folder_, ignored)) fs::rename(old, folder_, ignored);
    fs::remove_all(made, ignored);
    return Error{.what = cat("cannot write '", folder_.string(), "': ", error.message())};
  }
  fs::remove_all(old, error);
  return {};
}

}  // namespace chop::cli
