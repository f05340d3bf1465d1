#include "search/store/sql/sqlite_restore.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <thread>

#include "support/system/files.hpp"

namespace chop::search {
namespace {

namespace fs = std::filesystem;

struct Close {
  void operator()(sqlite3* database) const { sqlite3_close(database); }
};
using Database = std::unique_ptr<sqlite3, Close>;

Database open_database(const std::string& file, int flags) {
  sqlite3* database = nullptr;
  sqlite3_open_v2(file.c_str(), &database, flags | SQLITE_OPEN_NOMUTEX, nullptr);
  sqlite3_busy_timeout(database, 10'000);
  return Database(database);
}

/// What identifies a database: its studies, and how many trials it has.
struct Inventory {
  std::vector<std::string> studies = {};  ///< sorted
  std::int64_t trials = -1;               ///< -1: not a database of studies
};

Inventory inventory_of(sqlite3* database) {
  Inventory found;
  sqlite3_exec(
      database, "SELECT study_id || ' ' || study_name FROM studies",
      [](void* to, int, char** fields, char**) {
        static_cast<Inventory*>(to)->studies.emplace_back(fields[0]);
        return 0;
      },
      &found, nullptr);
  sqlite3_exec(
      database, "SELECT COUNT(*) FROM trials",
      [](void* to, int, char** fields, char**) {
        static_cast<Inventory*>(to)->trials = std::strtoll(fields[0], nullptr, 10);
        return 0;
      },
      &found, nullptr);
  std::sort(found.studies.begin(), found.studies.end());
  return found;
}

/// Whether the file holds all of `database`: another process has restored it.
bool holds(const std::string& file, sqlite3* database) {
  const Inventory ours = inventory_of(database);
  const Inventory theirs = inventory_of(open_database(file, SQLITE_OPEN_READWRITE).get());
  return theirs.trials >= ours.trials && std::includes(theirs.studies.begin(), theirs.studies.end(),
                                                       ours.studies.begin(), ours.studies.end());
}

/// One of the files that a connection has open: the database itself or its log.
class OpenFile {
 public:
  OpenFile(sqlite3* database, int which) { sqlite3_file_control(database, "main", which, &file_); }

  std::int64_t size() const {
    sqlite3_int64 bytes = 0;
    const bool known = file_ != nullptr && file_->pMethods != nullptr &&
                       file_->pMethods->xFileSize(file_, &bytes) == SQLITE_OK;
    return known ? bytes : 0;
  }
  /// Up to `count` bytes from `offset` on.
  std::string read(std::int64_t offset, std::int64_t count) const {
    count = std::clamp<std::int64_t>(size() - offset, 0, count);
    std::string bytes(static_cast<std::size_t>(count), '\0');
    if (count > 0 &&
        file_->pMethods->xRead(file_, bytes.data(), static_cast<int>(count), offset) != SQLITE_OK)
      bytes.clear();
    return bytes;
  }
  bool copy_to(const std::string& name) const {
    constexpr std::int64_t kBlock = std::int64_t{1} << 20;
    std::ofstream out(name, std::ios::binary | std::ios::trunc);
    std::int64_t done = 0;
    for (const std::int64_t all = size(); done < all && out;) {
      const std::string bytes = read(done, kBlock);
      if (bytes.empty()) return false;
      out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
      done += static_cast<std::int64_t>(bytes.size());
    }
    out.close();
    return !out.fail();
  }

 private:
  sqlite3_file* file_ = nullptr;
};

constexpr std::int64_t kLogHeader = 32;

/// Removes the log and its index of the deleted file, which SQLite would otherwise use for a new
/// file of that name. The salt in the first 32 bytes identifies a log.
void remove_own_log(const OpenFile& log, const std::string& file) {
  std::string bytes(kLogHeader, '\0');
  std::ifstream(file + "-wal", std::ios::binary).read(bytes.data(), kLogHeader);
  if (log.size() < kLogHeader || log.read(0, kLogHeader) != bytes) return;
  for (const char* end : {"-wal", "-shm"}) ::unlink((file + end).c_str());
}

/// What `database` has stored, as a file of its own. The bytes come from the deleted files, which
/// are still open, and SQLite finds in the log what was committed. The connection itself cannot be
/// asked: the index of its log is known by name, and a new file of that name writes into it.
Result<Database> rescue(sqlite3* database, const std::string& file) {
  const bool copied = OpenFile(database, SQLITE_FCNTL_FILE_POINTER).copy_to(file) &&
                      OpenFile(database, SQLITE_FCNTL_JOURNAL_POINTER).copy_to(file + "-wal");
  Database rescued = open_database(file, SQLITE_OPEN_READWRITE);
  // Without a log it is one file, which can be renamed.
  const bool whole = copied && sqlite3_exec(rescued.get(), "PRAGMA journal_mode = DELETE", nullptr,
                                            nullptr, nullptr) == SQLITE_OK;
  if (whole) return rescued;
  return Error{.what = cat("cannot write '", file,
                           "': ", copied ? sqlite3_errmsg(rescued.get()) : std::strerror(errno))};
}

/// While it lives, no other process puts files into the folder by these functions.
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

bool has_moved(sqlite3* database) {
  int moved = 0;
  return sqlite3_file_control(database, "main", SQLITE_FCNTL_HAS_MOVED, &moved) == SQLITE_OK &&
         moved != 0;
}

Result<std::string> restore_sqlite(sqlite3* database, const std::string& file) {
  std::error_code code;
  const fs::path folder = fs::absolute(file, code).parent_path();
  CH_CHECK(ensure_writable_folder(folder));
  // A process in a transaction has not noticed yet; transactions take a fraction of a millisecond.
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  const FolderTurn turn(folder);
  const std::string copy = cat(file, ".tmp-", ::getpid());
  const auto failed = [&](Error error) {
    for (const char* end : {"", "-wal", "-shm"}) ::unlink((copy + end).c_str());
    return std::move(error).note(
        cat("'", file, "' was deleted or replaced while the study was in use"));
  };
  Result<Database> rescued = rescue(database, copy);
  if (!rescued) return failed(std::move(rescued).error());
  remove_own_log(OpenFile(database, SQLITE_FCNTL_JOURNAL_POINTER), file);
  std::string target = file;
  for (int twin = 1; fs::exists(target, code); ++twin) {
    if (holds(target, rescued.value().get())) {
      ::unlink(copy.c_str());
      return target;
    }
    target = cat(file, ".kept", twin == 1 ? "" : std::to_string(twin));
  }
  rescued.value().reset();
  for (const char* end : {"-wal", "-shm"}) ::unlink((target + end).c_str());  // of the deleted file
  if (::rename(copy.c_str(), target.c_str()) == 0) return target;
  return failed({.what = cat("cannot write '", target, "': ", std::strerror(errno))});
}

void make_sqlite_file(const std::string& file) {
  std::error_code code;
  if (fs::exists(file, code)) return;
  const FolderTurn turn(fs::absolute(file, code).parent_path());
  if (fs::exists(file, code)) return;
  for (const char* end : {"-wal", "-shm", "-journal"}) ::unlink((file + end).c_str());
  const int handle = ::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  if (handle >= 0) ::close(handle);  // otherwise SQLite says why
}

}  // namespace chop::search
