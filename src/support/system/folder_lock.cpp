// An advisory lock on a file of the folder. The holder writes who it is into the file, which those
// who are refused read.
#include "support/system/folder_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>

#include "support/system/files.hpp"

namespace chop::support {
namespace {

namespace fs = std::filesystem;

/// A holder takes the lock first and says then who it is: so long others wait to read it.
constexpr int kLockTries = 50;
constexpr std::chrono::milliseconds kLockPause(10);

fs::path lock_file(const fs::path& folder) {
  return folder / ".lock";
}

std::string own_name() {
  std::array<char, 256> host{};
  if (::gethostname(host.data(), host.size() - 1) != 0) host[0] = '\0';
  return cat("process ", ::getpid(), " on ", host.data());
}

std::string contents(int file) {
  std::array<char, 4096> text{};
  const ssize_t size = ::pread(file, text.data(), text.size(), 0);
  return {text.data(), static_cast<std::size_t>(std::max<ssize_t>(size, 0))};
}

bool are_same(int file, const fs::path& path) {
  struct stat held = {};
  struct stat found = {};
  return ::fstat(file, &held) == 0 && ::lstat(path.c_str(), &found) == 0 &&
         held.st_dev == found.st_dev && held.st_ino == found.st_ino;
}

/// The folders of `folder` that are not there, made now; those that another process makes in the
/// same moment are not among them.
std::vector<fs::path> make_folders(const fs::path& folder) {
  std::vector<fs::path> missing;
  std::error_code ignored;
  for (fs::path at = folder; !at.empty() && !fs::exists(at, ignored); at = at.parent_path())
    missing.insert(missing.begin(), at);
  std::vector<fs::path> made;
  for (const fs::path& one : missing)
    if (::mkdir(one.c_str(), 0777) == 0) made.push_back(one);
  return made;
}

}  // namespace

FolderLock::FolderLock(fs::path folder, std::string purpose, Share share, std::string hint)
    : folder_(std::move(folder)),
      purpose_(std::move(purpose)),
      hint_(std::move(hint)),
      share_(share) {}

FolderLock::FolderLock(FolderLock&& other) noexcept
    : folder_(std::move(other.folder_)),
      purpose_(std::move(other.purpose_)),
      hint_(std::move(other.hint_)),
      share_(other.share_),
      file_(std::exchange(other.file_, -1)),
      folder_file_(std::exchange(other.folder_file_, -1)),
      made_(std::exchange(other.made_, {})) {}

FolderLock& FolderLock::operator=(FolderLock&& other) noexcept {
  std::swap(folder_, other.folder_);
  std::swap(purpose_, other.purpose_);
  std::swap(hint_, other.hint_);
  std::swap(share_, other.share_);
  std::swap(file_, other.file_);
  std::swap(folder_file_, other.folder_file_);
  std::swap(made_, other.made_);
  return *this;
}

FolderLock::~FolderLock() {
  release();
}

Result<FolderLock> FolderLock::take(const fs::path& folder, const std::string& purpose, Share share,
                                    const std::string& hint) {
  FolderLock lock(folder, purpose, share, hint);
  CH_CHECK(lock.lock());
  return lock;
}

Result<std::optional<FolderLock>> FolderLock::take_new(const fs::path& folder,
                                                       const fs::path& inside,
                                                       const std::string& purpose, Share share,
                                                       const std::string& hint) {
  FolderLock lock(folder / inside, purpose, share, hint);
  // Another process may remove an empty parent between the two calls.
  for (int i = 0; i < kLockTries; ++i) {
    for (fs::path& one : make_folders(folder.parent_path())) lock.made_.push_back(std::move(one));
    if (::mkdir(folder.c_str(), 0777) == 0) {
      lock.made_.push_back(folder);
      CH_CHECK(lock.lock());
      return std::optional(std::move(lock));
    }
    if (errno == EEXIST) return std::optional<FolderLock>();
    if (errno != ENOENT) CH_CHECK(ensure_writable_folder(lock.folder_));
  }
  // The parent could not be made: why is its own reason.
  CH_CHECK(ensure_writable_folder(folder.parent_path()));
  return Error{.what = cat("cannot create folder '", folder.string(), "': ", std::strerror(errno))};
}

Result<bool> FolderLock::restore() {
  if (file_ < 0 || is_in_place()) return false;
  const bool folder_stayed = folder_file_ >= 0 && are_same(folder_file_, folder_);
  ::close(std::exchange(file_, -1));
  CH_CHECK(lock());
  return !folder_stayed;
}

bool FolderLock::is_in_place() const {
  return are_same(file_, lock_file(folder_));
}

/// While it is open, no other folder can get its inode.
void FolderLock::open_folder() {
  if (folder_file_ >= 0) ::close(folder_file_);
  folder_file_ = ::open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

Status FolderLock::lock() {
  std::string holder;
  for (int i = 0; i < kLockTries; ++i) {
    for (fs::path& one : make_folders(folder_)) made_.push_back(std::move(one));
    CH_CHECK(ensure_writable_folder(folder_));
    const fs::path path = lock_file(folder_);
    file_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (file_ < 0)
      return Error{.what = cat("cannot lock '", path.string(), "': ", std::strerror(errno))};
    const bool alone = ::flock(file_, LOCK_EX | LOCK_NB) == 0;
    const bool lockless = !alone && errno != EWOULDBLOCK;
    if (alone ? hold() : !lockless && join(holder)) {
      open_folder();
      return {};
    }
    ::close(std::exchange(file_, -1));
    if (lockless) return {};
    if (!holder.empty()) break;
    std::this_thread::sleep_for(kLockPause);
  }
  return Error{.what = cat("'", folder_.string(), "' is in use by ",
                           holder.empty() ? "another process" : holder),
               .hint = hint_};
}

/// Says who holds the file that was just locked; false when it is not the folder's any more.
bool FolderLock::hold() {
  if (!is_in_place()) return false;
  const std::string text = cat(own_name(), "\n", purpose_, "\n");
  if (::ftruncate(file_, 0) == 0) (void)!::pwrite(file_, text.data(), text.size(), 0);
  if (share_ == Share::SamePurpose) (void)::flock(file_, LOCK_SH);
  return true;
}

/// Shares the file with those who hold it, or says who they are once that is known.
bool FolderLock::join(std::string& holder) {
  const std::string text = contents(file_);
  const std::size_t end = text.find('\n');
  if (end == text.npos) return false;
  const std::string purpose = text.substr(end + 1, text.size() - end - 2);
  if (share_ == Share::SamePurpose && purpose == purpose_)
    return ::flock(file_, LOCK_SH | LOCK_NB) == 0 && is_in_place();
  holder = cat(purpose, ", ", text.substr(0, end));
  return false;
}

void FolderLock::release() {
  if (file_ >= 0) {
    // Others that share it may go on: only the last one removes the file.
    const bool alone = share_ == Share::No || ::flock(file_, LOCK_EX | LOCK_NB) == 0;
    if (alone && is_in_place()) ::unlink(lock_file(folder_).c_str());
    ::close(std::exchange(file_, -1));
  }
  if (folder_file_ >= 0) ::close(std::exchange(folder_file_, -1));
  for (; !made_.empty(); made_.pop_back()) ::rmdir(made_.back().c_str());  // if it is empty
}

}  // namespace chop::support
