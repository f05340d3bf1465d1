// A folder that others keep out of while a run writes into it.
#pragma once

#include <filesystem>

#include "support/result.hpp"

namespace chop::support {

/// A lock (flock) on the file `.lock` of the folder. It ends with the process, however that ends.
/// The file says who holds it; it goes with the lock, and so do folders that were made for it and
/// are still empty then. File systems that have no locks are used without one.
class FolderLock {
 public:
  enum class Share : std::uint8_t {
    No,
    SamePurpose  ///< processes that give the same purpose may hold it together
  };

  /// Makes the folder if need be. Where another process holds it: an error that names it, with
  /// `hint`.
  static Result<FolderLock> take(const std::filesystem::path& folder, const std::string& purpose,
                                 Share share = Share::No, const std::string& hint = {});

  /// take(folder / inside) in a folder that this call makes. Nothing where it is there already: of
  /// processes that ask for it at once, one gets it.
  static Result<std::optional<FolderLock>> take_new(const std::filesystem::path& folder,
                                                    const std::filesystem::path& inside,
                                                    const std::string& purpose,
                                                    Share share = Share::No,
                                                    const std::string& hint = {});

  FolderLock(FolderLock&& other) noexcept;
  FolderLock& operator=(FolderLock&& other) noexcept;
  ~FolderLock();

  /// True when somebody removed the folder meanwhile. It is made and locked anew, as is the lock
  /// where it alone was removed; an error when another process was faster.
  Result<bool> restore();

 private:
  FolderLock(std::filesystem::path folder, std::string purpose, Share share, std::string hint);
  Status lock();
  bool hold();
  bool join(std::string& holder);
  bool is_in_place() const;
  void open_folder();
  void release();

  std::filesystem::path folder_;
  std::string purpose_;
  std::string hint_;
  Share share_ = Share::No;
  int file_ = -1;
  int folder_file_ = -1;
  std::vector<std::filesystem::path> made_;  ///< outermost first
};

}  // namespace chop::support
