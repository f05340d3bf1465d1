#include "support/system/files.hpp"

#include <fcntl.h>
#include <pwd.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>

#include "support/system/temporary_file.hpp"

namespace chop::support {
namespace {

namespace fs = std::filesystem;

Error system_error(const std::string& what, const fs::path& path, int code) {
  if (code == 0) return Error{.what = cat(what, " '", path.string(), "': writing was broken off")};
  Error error{.what = cat(what, " '", path.string(), "': ", std::strerror(code))};
  if (code == ENOENT) error.hint = "check the path; it is taken relative to the current folder";
  if (code == EACCES) error.hint = "check the permissions of the file and its folder";
  if (code == ENOSPC) error.hint = "the disk is full; free some space and try again";
  return error;
}

/// Devices, pipes and sockets.
Status write_through(const fs::path& path, const std::function<bool(std::ostream&)>& write) {
  errno = 0;
  std::ofstream out(path, std::ios::binary);
  if (!out || !write(out) || !out.flush().good()) return system_error("cannot write", path, errno);
  return {};
}

}  // namespace

Result<std::string> read_file(const fs::path& path) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored))
    return Error{.what = cat("'", path.string(), "' is a folder, not a file")};
  CH_TRY(const MappedFile file, MappedFile::open(path));
  const std::span<const std::byte> bytes = file.bytes();
  return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

Result<MappedFile> MappedFile::open(const fs::path& path) {
  // O_NONBLOCK: opening a pipe would otherwise wait for a writer.
  const int handle = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (handle < 0) return system_error("cannot read", path, errno);
  struct stat status = {};
  if (::fstat(handle, &status) != 0 || !S_ISREG(status.st_mode)) {
    ::close(handle);
    return Error{.what = cat("'", path.string(), "' is not a regular file")};
  }
  MappedFile file;
  file.path_ = path;
  file.size_ = static_cast<std::size_t>(status.st_size);
  if (file.size_ > 0) {
    void* memory = ::mmap(nullptr, file.size_, PROT_READ, MAP_PRIVATE, handle, 0);
    if (memory == MAP_FAILED) {
      const int code = errno;
      ::close(handle);
      return system_error("cannot map", path, code);
    }
    const std::size_t size = file.size_;
    file.memory_ = {static_cast<const std::byte*>(memory),
                    [size](const std::byte* p) { ::munmap(const_cast<std::byte*>(p), size); }};
  }
  ::close(handle);
  return file;
}

Status write_file(const fs::path& path, std::string_view contents) {
  return write_file(path, [contents](std::ostream& out) {
    out.write(contents.data(), static_cast<std::streamsize>(contents.size()));
    return out.good();
  });
}

Status write_file(const fs::path& given, const std::function<bool(std::ostream&)>& write) {
  // A link stays a link, to a new file; devices and pipes are written to, not replaced.
  std::error_code ignored;
  const fs::path path =
      fs::is_symlink(given, ignored) ? fs::weakly_canonical(given, ignored) : given;
  if (fs::exists(path, ignored) && fs::is_other(path, ignored)) return write_through(path, write);
  if (path.has_parent_path()) CH_CHECK(ensure_writable_folder(path.parent_path()));
  errno = 0;
  std::optional<TemporaryFile> file = TemporaryFile::beside(path);
  if (!file) return system_error("cannot write", path, errno);
  errno = 0;
  if (write(file->stream()) && file->commit()) return {};
  return system_error("cannot write", path, errno);
}

Status ensure_writable_folder(const fs::path& path) {
  std::error_code code;
  fs::create_directories(path, code);
  std::error_code ignored;
  if (!fs::is_directory(path, ignored))
    return system_error("cannot create folder", path, code ? code.value() : ENOTDIR);
  if (::access(path.c_str(), W_OK | X_OK) != 0)
    return system_error("cannot write into folder", path, errno);
  return {};
}

fs::path cache_folder() {
  if (const char* own = std::getenv("CH_CACHE_DIR"); own != nullptr && *own != '\0') return own;
  if (const char* xdg = std::getenv("XDG_CACHE_HOME"); xdg != nullptr && *xdg != '\0')
    return fs::path(xdg) / "chop";
  if (const char* home = std::getenv("HOME"); home != nullptr && *home != '\0')
    return fs::path(home) / ".cache" / "chop";
  // Never a folder that others may write to: they could put data there for us to read.
  const passwd* user = ::getpwuid(::getuid());
  if (user != nullptr && user->pw_dir != nullptr && *user->pw_dir == '/')
    return fs::path(user->pw_dir) / ".cache" / "chop";
  return "/nonexistent/.cache/chop";
}

}  // namespace chop::support
