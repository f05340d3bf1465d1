// SQLite through its C interface, in WAL mode: readers do not wait for the writer. Statements are
// prepared once. Processes that find the file locked poll it, because a transaction of ours takes a
// fraction of a millisecond.
#include "search/store/sql/sqlite_connection.hpp"

#include <unistd.h>

#include <chrono>
#include <thread>

#include "search/store/sql/sqlite_restore.hpp"
#include "support/system/log.hpp"

namespace chop::search {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds kBusyPatience(60);

constexpr SqlDialect kSqliteDialect = {
    .begin = "BEGIN IMMEDIATE",
    .lock_study = "SELECT study_id, '' FROM studies WHERE study_id = $1",
    .outcome = "",
    .now = "strftime('%Y-%m-%d %H:%M:%f000', 'now')",
    .heartbeat_age = "(julianday('now') - julianday(heartbeat)) * 86400.0",
    .in_list = " IN (SELECT value FROM json_each($1))",
    .hold_rows = "",
    .tables = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'",
    .lock_schema = "SELECT 1"};

/// Tries again soon: exchanges of other processes take a fraction of a millisecond, and SQLite's
/// own handler would sleep for up to 100 of them.
int wait_for_others(void* since, int count) {
  using SteadyClock = std::chrono::steady_clock;
  auto& started = *static_cast<SteadyClock::time_point*>(since);
  if (count == 0) started = SteadyClock::now();
  if (SteadyClock::now() - started > kBusyPatience) return 0;
  std::this_thread::sleep_for(std::chrono::microseconds(100 * std::min(1 + count / 8, 20)));
  return 1;
}

std::string hint_for(int code) {
  switch (code & 0xff) {
    case SQLITE_FULL:
      return "the disk is full: make room, then run it again with the same study";
    case SQLITE_READONLY:
    case SQLITE_PERM:
      return "check that the file and its folder can be written, or use another --storage";
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return cat("another process held it for ", kBusyPatience.count(),
                 " s; is one of them stopped in a debugger?");
    case SQLITE_IOERR:
      return "the disk failed, or is full";
    case SQLITE_CORRUPT:
      return "`sqlite3 FILE .recover` may save what is in it";
    default:
      return "";
  }
}

/// To read a file in WAL mode SQLite writes beside it, where that may not be allowed. With no log
/// there nobody is using the file, and it can be read as one that does not change.
std::string as_unchanging(const std::string& file) {
  std::error_code code;
  if (fs::exists(file + "-wal", code)) return file;
  std::string address = "file:";
  for (const char c : fs::absolute(file, code).string())
    address += c == '?' ? "%3f" : c == '#' ? "%23" : c == '%' ? "%25" : std::string(1, c);
  return address + "?immutable=1";
}

class SqliteConnection final : public SqlConnection {
 public:
  explicit SqliteConnection(const fs::path& file) : file_(file.string()) {}
  SqliteConnection(const SqliteConnection&) = delete;
  SqliteConnection& operator=(const SqliteConnection&) = delete;
  ~SqliteConnection() override { close(); }

  Status open(Create create) {
    const bool writable = create == Create::Yes || ::access(file_.c_str(), W_OK) == 0;
    const int flags = SQLITE_OPEN_NOMUTEX | (create == Create::Yes ? SQLITE_OPEN_CREATE : 0) |
                      (writable ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY | SQLITE_OPEN_URI);
    const std::string name = writable ? file_ : as_unchanging(file_);
    if (sqlite3_open_v2(name.c_str(), &database_, flags, nullptr) != SQLITE_OK) return failed();
    sqlite3_busy_handler(database_, wait_for_others, &busy_since_);
    // The first query is what looks into the file.
    CH_CHECK(run({"SELECT COUNT(*) FROM sqlite_master"}, nullptr));
    if (!writable) return {};
    CH_CHECK(log_ahead());
    // Only moving the log into the file waits for the disk: seldom, since the same pages change
    // again and again. The log grows to some 40 MB.
    CH_CHECK(run({"PRAGMA wal_autocheckpoint = 10000"}, nullptr));
    return run({"PRAGMA synchronous = NORMAL"}, nullptr);
  }

  const SqlDialect& dialect() const override { return kSqliteDialect; }
  const std::string& shown() const override { return file_; }

  Result<SqlRows> query(const SqlCommand& command) override {
    SqlRows rows;
    CH_CHECK(run(command, &rows));
    return rows;
  }

  Status execute(std::span<const SqlCommand> commands) override {
    for (const SqlCommand& command : commands)
      CH_CHECK(command.text == kSqliteDialect.begin ? begin() : run(command, nullptr));
    return {};
  }

  Result<bool> others_wrote() override {
    CH_TRY(const SqlRows rows, query({"PRAGMA data_version"}));
    const std::int64_t version = integer_of(rows.at(0).at(0));
    return std::exchange(version_, version) != version;
  }

  bool is_lost() const override { return false; }

  Status reconnect() override {
    return sqlite3_get_autocommit(database_) != 0 ? Status() : run({"ROLLBACK"}, nullptr);
  }

 private:
  void close() {
    for (const auto& [text, statement] : statements_) sqlite3_finalize(statement);
    statements_.clear();
    sqlite3_close(std::exchange(database_, nullptr));
  }

  /// A process that has locked the file looks first whether it is still there: so nothing is
  /// written to a deleted file once one process has noticed that it is. It looks before as well,
  /// because locking would write into the index of the next file's log.
  Status begin() {
    while (true) {
      if (!has_moved(database_)) {
        CH_CHECK(run({kSqliteDialect.begin}, nullptr));
        if (!has_moved(database_)) return {};
        CH_CHECK(run({"ROLLBACK"}, nullptr));
      }
      CH_TRY(const std::string restored, restore_sqlite(database_, file_));
      log_warning(cat(
          "The study's file '", file_, "' was deleted or replaced during the search; ",
          restored == file_ ? "it is written anew" : cat("the study is now in '", restored, "'")));
      close();
      file_ = restored;
      version_ = -1;
      CH_CHECK(open(Create::No));
    }
  }

  /// The mode is the file's. To change it one must be alone for a moment, and the busy handler is
  /// not asked; while Optuna has the file open, the mode stays what it is.
  Status log_ahead() {
    for (int attempt = 0;; ++attempt) {
      Status status = run({"PRAGMA journal_mode = WAL"}, nullptr);
      if (status || sqlite3_errcode(database_) != SQLITE_BUSY) return status;
      if (attempt == 50) return {};
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
  }

  Error failed() const {
    const int code = database_ == nullptr ? SQLITE_NOMEM : sqlite3_extended_errcode(database_);
    if ((code & 0xff) == SQLITE_NOTADB)
      return {.what = cat("'", file_, "' is no SQLite database"),
              .hint = "name another file; a study is kept in one of its own"};
    return {.what = cat("the study's file '", file_,
                        "': ", database_ == nullptr ? "out of memory" : sqlite3_errmsg(database_)),
            .hint = hint_for(code)};
  }

  Result<sqlite3_stmt*> prepared(std::string_view text) {
    const auto found = statements_.find(text);
    if (found != statements_.end()) return found->second;
    sqlite3_stmt* statement = nullptr;
    if (sqlite3_prepare_v3(database_, text.data(), static_cast<int>(text.size()),
                           SQLITE_PREPARE_PERSISTENT, &statement, nullptr) != SQLITE_OK)
      return failed();
    return statements_.emplace(text, statement).first->second;
  }

  static void bind(sqlite3_stmt* statement, int parameter, const SqlValue& value) {
    if (const auto* text = std::get_if<std::string>(&value)) {
      sqlite3_bind_text64(statement, parameter, text->data(), text->size(), SQLITE_STATIC,
                          SQLITE_UTF8);
    } else if (const auto* whole = std::get_if<std::int64_t>(&value)) {
      sqlite3_bind_int64(statement, parameter, *whole);
    } else if (const auto* number = std::get_if<double>(&value)) {
      sqlite3_bind_double(statement, parameter, *number);
    } else {
      sqlite3_bind_null(statement, parameter);
    }
  }

  static SqlValue field(sqlite3_stmt* statement, int column) {
    switch (sqlite3_column_type(statement, column)) {
      case SQLITE_INTEGER:
        return std::int64_t{sqlite3_column_int64(statement, column)};
      case SQLITE_FLOAT:
        return sqlite3_column_double(statement, column);
      case SQLITE_NULL:
        return {};
      default: {
        const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement, column));
        return std::string(text, static_cast<std::size_t>(sqlite3_column_bytes(statement, column)));
      }
    }
  }

  Status run(const SqlCommand& command, SqlRows* rows) {
    CH_TRY(sqlite3_stmt* const statement, prepared(command.text));
    for (std::size_t i = 0; i < command.args.size(); ++i)
      bind(statement, static_cast<int>(i) + 1, command.args[i]);
    int code = sqlite3_step(statement);
    for (; code == SQLITE_ROW; code = sqlite3_step(statement)) {
      if (rows == nullptr) continue;
      SqlRow& row = rows->emplace_back();
      for (int column = 0; column < sqlite3_column_count(statement); ++column)
        row.push_back(field(statement, column));
    }
    Status status = code == SQLITE_DONE ? Status() : failed();
    sqlite3_reset(statement);
    sqlite3_clear_bindings(statement);
    return status;
  }

  std::string file_;
  sqlite3* database_ = nullptr;
  std::map<std::string, sqlite3_stmt*, std::less<>> statements_;
  std::chrono::steady_clock::time_point busy_since_;
  std::int64_t version_ = -1;
};

Status check_file(const fs::path& file, Create create) {
  std::error_code code;
  if (fs::is_directory(file, code))
    return Error{.what = cat("'", file.string(), "' is a folder"),
                 .hint = "name a file in it, such as study.db"};
  if (fs::exists(file, code)) return {};
  if (create == Create::No)
    return Error{.what = cat("there is no file '", file.string(), "'"),
                 .hint = "--storage names the file or server of the study"};
  const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
  if (!fs::is_directory(folder, code))
    return Error{.what = cat("there is no folder '", folder.string(), "' for the study's file"),
                 .hint = cat("mkdir -p ", folder.string())};
  return {};
}

}  // namespace

Result<std::unique_ptr<SqlConnection>> open_sqlite(const fs::path& file, Create create) {
  CH_CHECK(check_file(file, create));
  if (create == Create::Yes) make_sqlite_file(file.string());
  auto connection = std::make_unique<SqliteConnection>(file);
  CH_CHECK(connection->open(create));
  return std::unique_ptr<SqlConnection>(std::move(connection));
}

}  // namespace chop::search
