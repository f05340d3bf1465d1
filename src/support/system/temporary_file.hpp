// A file on its way: written beside the path it is meant for and renamed to it when it is whole.
#pragma once

#include <filesystem>
#include <ostream>

#include "support/layers.hpp"

namespace chop::support {

/// Its name is `path` with ".tmp-" and random letters behind it. Nobody else can have prepared a
/// file or a link of that name: it is made anew or not at all. Removed when it is not committed.
class TemporaryFile {
 public:
  /// Nothing, with errno set, when none can be made. Also removes files that earlier writers of
  /// `path` left when they were killed.
  static std::optional<TemporaryFile> beside(const std::filesystem::path& path);

  TemporaryFile(TemporaryFile&&) noexcept;
  TemporaryFile& operator=(TemporaryFile&&) noexcept;
  ~TemporaryFile();

  std::ostream& stream();
  /// Brings the bytes to the disk, then renames. False, with errno set, when that failed.
  bool commit();

 private:
  struct State;
  explicit TemporaryFile(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// Whether others may be writing files where one is about to tidy up.
enum class OtherWriters : std::uint8_t { None, Possible };

/// Removes from `folder` and the folders in it the temporary files whose writers were killed. With
/// OtherWriters::None those of the last minute too; the caller holds a lock on the folder then.
void remove_temporary_files(const std::filesystem::path& folder, OtherWriters others);

}  // namespace chop::support
