// Files: read whole or mapped, written beside and renamed.
#pragma once

#include <filesystem>
#include <functional>
#include <ostream>

#include "support/result.hpp"

namespace chop::support {

/// The whole file. Folders, pipes, devices, missing and unreadable files are errors that say which.
Result<std::string> read_file(const std::filesystem::path& path);

/// Read-only view of a file's bytes; empty files give an empty view.
class MappedFile {
 public:
  static Result<MappedFile> open(const std::filesystem::path& path);
  std::span<const std::byte> bytes() const { return {memory_.get(), size_}; }
  std::string_view text() const { return {reinterpret_cast<const char*>(memory_.get()), size_}; }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  std::shared_ptr<const std::byte> memory_;
  std::size_t size_ = 0;
};

/// Writes `path` through a temporary file beside it, so that a crash or a full disk leaves
/// the old file or the new one, never half of one. Missing folders are created.
Status write_file(const std::filesystem::path& path, std::string_view contents);
/// As above for contents too large to hold in one string; a false return means failure.
Status write_file(const std::filesystem::path& path,
                  const std::function<bool(std::ostream&)>& write);

/// Creates `path` and its parents; an error when a file has that name or when the
/// folder cannot be written to.
Status ensure_writable_folder(const std::filesystem::path& path);

/// $CH_CACHE_DIR, else $XDG_CACHE_HOME/chop, else .cache/chop in $HOME or, without it, in the home
/// of the user's account; a folder that cannot be made where there is no home.
std::filesystem::path cache_folder();

}  // namespace chop::support
