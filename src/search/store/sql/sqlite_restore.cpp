#include "search/store/sql/sqlite_restore.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <vector>

#include "support/system/files.hpp"

namespace chop::search {
namespace {

namespace fs = std::filesystem;

struct Close {
  void operator()(sqlite3* base) const { sqlite3_close(base); }
};
using Base = std::unique_ptr<sqlite3, Close>;

Base open_base(const std::string& file, int flags) {
  sqlite3* base = nullptr;
  sqlite3_open_v2(file.c_str(), &base, flags | SQLITE_OPEN_NOMUTEX, nullptr);
  sqlite3_busy_timeout(base, 10'000);
  return Base(base);
}

/// What tells one base from another: its studies, and how many trials it has.
struct Inventory {
  std::vector<std::string> studies = {};  ///< sorted
  std::int64_t trials = -1;               ///< -1: it is no base of studies
};

Inventory inventory_of(sqlite3* base) {
  Inventory found;
  sqlite3_exec(
      base, "SELECT study_id || ' ' || study_name FROM studies",
      [](void* to, int, char** fields, char**) {
        static_cast<Inventory*>(to)->studies.emplace_back(fields[0]);
        return 0;
      },
      &found, nullptr);
  sqlite3_exec(
      base, "SELECT COUNT(*) FROM trials",
      [](void* to, int, char** fields, char**) {
        static_cast<Inventory*>(to)->trials = std::strtoll(fields[0], nullptr, 10);
        return 0;
      },
      &found, nullptr);
  std::sort(found.studies.begin(), found.studies.end());
  return found;
}

/// Whether the file holds all of `base`: another process has restored it.
bool holds(const std::string& file, sqlite3* base) {
  const Inventory ours = inventory_of(base);
  const Inventory theirs = inventory_of(open_base(file, SQLITE_OPEN_READWRITE).get());
  return theirs.trials >= ours.trials && std::includes(theirs.studies.begin(), theirs.studies.end(),
                                                       ours.studies.begin(), ours.studies.end());
}

Status copy_to(sqlite3* base, const std::string& file) {
  const Base copy = open_base(file, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
  sqlite3_backup* const backup = sqlite3_backup_init(copy.get(), "main", base, "main");
  if (backup != nullptr) {
    (void)sqlite3_backup_step(backup, -1);
    sqlite3_backup_finish(backup);
  }
  if (sqlite3_errcode(copy.get()) == SQLITE_OK) return {};
  return Error{.what = cat("cannot write '", file, "': ", sqlite3_errmsg(copy.get()))};
}

/// While it lives, no other process places files in the folder by these functions.
class FolderTurn {
 public:
  explicit FolderTurn(const fs::path& folder)
      : handle_(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
    if (handle_ >= 0) (void)::flock(handle_, LOCK_EX);
  }
  FolderTurn(const FolderTurn&) = delete;
  FolderTurn& operator=(const FolderTurn&) = delete;
  ~FolderTurn() {
    if (handle_ >= 0) ::close(handle_);
  }

 private:
  int handle_;
};

}  // namespace

bool has_moved(sqlite3* base) {
  int moved = 0;
  return sqlite3_file_control(base, "main", SQLITE_FCNTL_HAS_MOVED, &moved) == SQLITE_OK &&
         moved != 0;
}

Result<std::string> restore_sqlite(sqlite3* base, const std::string& file) {
  std::error_code code;
  const fs::path folder = fs::absolute(file, code).parent_path();
  CH_CHECK(ensure_writable_folder(folder));
  const FolderTurn turn(folder);
  std::string place = file;
  for (int twin = 1; fs::exists(place, code); ++twin) {
    if (holds(place, base)) return place;
    place = cat(file, ".kept", twin == 1 ? "" : std::to_string(twin));
  }
  for (const char* end : {"-wal", "-shm"}) ::unlink((place + end).c_str());  // of the deleted file
  const std::string copy = cat(place, ".tmp-", ::getpid());
  Status status = copy_to(base, copy);
  if (status && ::rename(copy.c_str(), place.c_str()) != 0)
    status = Error{.what = cat("cannot write '", place, "': ", std::strerror(errno))};
  if (status) return place;
  ::unlink(copy.c_str());
  return std::move(status).error().note(
      cat("'", file, "' was deleted or replaced while the study was in use"));
}

}  // namespace chop::search
