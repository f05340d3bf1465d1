// PostgreSQL through libpq. Statements are prepared once per connection; several commands are sent
// as a pipeline, so that a commit of a hundred rows costs one round trip instead of a hundred.
// SQLSTATEs that pass by themselves (server restart, deadlock, serialisation failure) count as a
// lost connection, and the session tries the transaction again.
#include "search/store/sql/pg_connection.hpp"

#include "search/store/sql/pg_library.hpp"
#include "search/store/store.hpp"
#include "support/text.hpp"

namespace chop::search {
namespace {

constexpr SqlDialect kPostgresqlDialect = {
    .begin = "BEGIN",
    .lock_study =
        "SELECT study_id, txid_current()::text FROM studies WHERE study_id = $1 FOR UPDATE",
    // After a crash the server may not have heard of the transaction, or call another one so.
    .outcome =
        "SELECT CASE WHEN $1::bigint >= txid_snapshot_xmax(txid_current_snapshot()) "
        "THEN 'aborted' ELSE txid_status($1::bigint) END",
    .now = "clock_timestamp()::timestamp",
    .heartbeat_age = "EXTRACT(EPOCH FROM (clock_timestamp()::timestamp - heartbeat))::float8",
    .in_list = " = ANY($1::int[])",
    .hold_rows = " FOR NO KEY UPDATE",
    .tables = "SELECT tablename::text FROM pg_tables WHERE schemaname = current_schema()",
    .lock_schema = "SELECT pg_advisory_xact_lock(7202741)",
    .has_enums = true,
    .list_open = '{',
    .list_close = '}'};

/// Locks must not outlive this process: the server ends a transaction that is idle for a minute, as
/// that of a machine that is gone is.
constexpr const char* kSessionSettings =
    "SET lock_timeout = '60s'; SET idle_in_transaction_session_timeout = '60s'; "
    "SET datestyle = 'ISO, YMD'; SET extra_float_digits = 3; SET client_min_messages = warning; "
    "SET enable_seqscan = off";
/// Not known to servers before 12.
constexpr const char* kLaterSettings = "SET plan_cache_mode = force_generic_plan";

/// Results of at most this many statements are on their way at once: the server must never wait
/// for us to read them while we wait for it.
constexpr std::size_t kPipeline = 200;

std::string as_text(const SqlValue& value) {
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return std::to_string(*whole);
  if (const auto* number = std::get_if<double>(&value)) return exact(*number);
  return text_of(value);
}

SqlValue from_text(Oid type, std::string text) {
  constexpr Oid kInt8 = 20, kInt2 = 21, kInt4 = 23, kFloat4 = 700, kFloat8 = 701;
  if (type == kInt8 || type == kInt2 || type == kInt4) return parse_int(text).value_or(0);
  if (type == kFloat4 || type == kFloat8) return parse_double(text).value_or(0);
  return text;
}

/// The SQLSTATEs after which the same transaction may well succeed over a new connection: the
/// server goes down or comes up, or chose this transaction to end a deadlock.
bool is_passing(std::string_view state) {
  return state.starts_with("08") || state.starts_with("57P") || state == "25P03" ||
         state == "40001" || state == "40P01";
}

class PgConnection final : public SqlConnection {
 public:
  PgConnection(const PqLibrary& pq, std::string url)
      : pq_(pq), url_(std::move(url)), shown_(shown_url(url_)) {}
  PgConnection(const PgConnection&) = delete;
  PgConnection& operator=(const PgConnection&) = delete;
  ~PgConnection() override { pq_.PQfinish(server_); }

  Status reconnect() override {
    pq_.PQfinish(server_);
    prepared_.clear();
    lost_ = true;
    const char* const keys[] = {"connect_timeout",
                                "application_name",
                                "keepalives_idle",
                                "keepalives_interval",
                                "keepalives_count",
                                "tcp_user_timeout",
                                "dbname",
                                "client_encoding",
                                nullptr};
    const char* const values[] = {"5",     "chop",       "10",   "5",    "3",
                                  "30000", url_.c_str(), "UTF8", nullptr};
    server_ = pq_.PQconnectdbParams(keys, values, /*expand_dbname=*/1);
    if (pq_.PQstatus(server_) != CONNECTION_OK) return cannot_connect();
    pq_.PQsetNoticeProcessor(
        server_, [](void*, const char*) {}, nullptr);
    const ResultPtr result = take(pq_.PQexec(server_, kSessionSettings));
    const ResultPtr ignored = take(pq_.PQexec(server_, kLaterSettings));
    lost_ = false;
    return check(result.get());
  }

  const SqlDialect& dialect() const override { return kPostgresqlDialect; }
  const std::string& shown() const override { return shown_; }
  Result<bool> others_wrote() override { return true; }
  bool is_lost() const override { return lost_; }

  Result<SqlRows> query(const SqlCommand& command) override {
    CH_TRY(const std::string name, prepare(command.text));
    const Arguments args(command);
    const ResultPtr result =
        take(pq_.PQexecPrepared(server_, name.c_str(), args.count(), args.texts.data(),
                                args.lengths.data(), nullptr, /*resultFormat=*/0));
    CH_CHECK(check(result.get()));
    SqlRows rows(static_cast<std::size_t>(pq_.PQntuples(result.get())));
    for (std::size_t i = 0; i < rows.size(); ++i)
      rows[i] = row_of(result.get(), static_cast<int>(i));
    return rows;
  }

  Status execute(std::span<const SqlCommand> commands) override {
    if (commands.size() == 1) {
      CH_TRY(const SqlRows dropped, query(commands[0]));
      return {};
    }
    for (std::size_t from = 0; from < commands.size(); from += kPipeline)
      CH_CHECK(send_together(commands.subspan(from, std::min(kPipeline, commands.size() - from))));
    return {};
  }

 private:
  struct Clear {
    const PqLibrary* pq;
    void operator()(PGresult* result) const { pq->PQclear(result); }
  };
  using ResultPtr = std::unique_ptr<PGresult, Clear>;
  ResultPtr take(PGresult* result) const { return {result, Clear{&pq_}}; }

  /// The arguments of a command as libpq wants them.
  struct Arguments {
    explicit Arguments(const SqlCommand& command) {
      for (const SqlValue& value : command.args) held.push_back(as_text(value));
      for (std::size_t i = 0; i < held.size(); ++i) {
        texts.push_back(command.args[i].index() == 0 ? nullptr : held[i].c_str());
        lengths.push_back(static_cast<int>(held[i].size()));
      }
    }
    int count() const { return static_cast<int>(texts.size()); }

    std::vector<std::string> held;
    std::vector<const char*> texts;
    std::vector<int> lengths;
  };

  SqlRow row_of(PGresult* result, int row) const {
    SqlRow fields;
    for (int column = 0; column < pq_.PQnfields(result); ++column) {
      if (pq_.PQgetisnull(result, row, column) != 0) {
        fields.emplace_back();
        continue;
      }
      const auto size = static_cast<std::size_t>(pq_.PQgetlength(result, row, column));
      fields.push_back(from_text(pq_.PQftype(result, column),
                                 std::string(pq_.PQgetvalue(result, row, column), size)));
    }
    return fields;
  }

  Status check(PGresult* result) {
    const ExecStatusType status = pq_.PQresultStatus(result);
    if (status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK || status == PGRES_PIPELINE_SYNC)
      return {};
    const char* const state =
        result == nullptr ? nullptr : pq_.PQresultErrorField(result, PG_DIAG_SQLSTATE);
    lost_ = pq_.PQstatus(server_) != CONNECTION_OK || (state != nullptr && is_passing(state));
    const bool held = state != nullptr && std::string_view(state) == "55P03";
    const std::string said(
        trim(result == nullptr ? pq_.PQerrorMessage(server_) : pq_.PQresultErrorMessage(result)));
    return Error{.what = cat("the database '", shown_, "': ", split(said, '\n').front()),
                 .hint = lost_  ? "is the server running, and can it be reached from here?"
                         : held ? "another process holds the study; is one of them stopped?"
                                : ""};
  }

  Error cannot_connect() const {
    Error error{.what = cat("cannot connect to '", shown_, "'"),
                .hint =
                    "check that the server runs and listens there, the names of user and "
                    "database, and the password"};
    const std::string said(trim(pq_.PQerrorMessage(server_)));
    for (const std::string& line : split(said, '\n')) error.notes.emplace_back(trim(line));
    return error;
  }

  Result<std::string> prepare(std::string_view text) {
    const auto found = prepared_.find(text);
    if (found != prepared_.end()) return found->second;
    if (server_ == nullptr) return Error{.what = cat("no connection to '", shown_, "'")};
    const std::string name = cat("s", prepared_.size());
    const std::string whole(text);
    const ResultPtr result = take(pq_.PQprepare(server_, name.c_str(), whole.c_str(), 0, nullptr));
    CH_CHECK(check(result.get()));
    prepared_.emplace(whole, name);
    return name;
  }

  /// Sends all before it waits for any, so that they take one way there and back.
  Status send_together(std::span<const SqlCommand> commands) {
    std::vector<std::string> names;
    for (const SqlCommand& command : commands) {
      CH_TRY(std::string name, prepare(command.text));
      names.push_back(std::move(name));
    }
    bool sent = pq_.PQenterPipelineMode(server_) == 1;
    for (std::size_t i = 0; i < commands.size() && sent; ++i) {
      const Arguments args(commands[i]);
      sent = pq_.PQsendQueryPrepared(server_, names[i].c_str(), args.count(), args.texts.data(),
                                     args.lengths.data(), nullptr, 0) == 1;
    }
    sent = sent && pq_.PQpipelineSync(server_) == 1;
    if (!sent) {
      lost_ = true;
      return Error{.what = cat("the connection to '", shown_, "' is lost")};
    }
    Status status = read_answers();
    pq_.PQexitPipelineMode(server_);
    return status;
  }

  /// Up to the end of the pipeline; the first error counts.
  Status read_answers() {
    Status status;
    while (true) {
      const ResultPtr result = take(pq_.PQgetResult(server_));
      if (!result) {  // the end of one command, or of the connection
        if (pq_.PQstatus(server_) == CONNECTION_OK) continue;
        lost_ = true;
        return status ? Error{.what = cat("the connection to '", shown_, "' is lost")} : status;
      }
      const ExecStatusType kind = pq_.PQresultStatus(result.get());
      if (kind == PGRES_PIPELINE_SYNC) return status;
      if (status && kind != PGRES_PIPELINE_ABORTED) status = check(result.get());
    }
  }

  const PqLibrary& pq_;
  std::string url_;
  std::string shown_;
  PGconn* server_ = nullptr;
  bool lost_ = false;
  std::map<std::string, std::string, std::less<>> prepared_;  ///< names by text
};

Error no_address(const std::string& url) {
  return {.what = cat("'", shown_url(url), "' is no address of a PostgreSQL database"),
          .hint =
              "postgresql://user:password@host:5432/dbname; @ : / ? # % of a password are "
              "%40 %3A %2F %3F %23 %25; or 'host=... dbname=... user=...'"};
}

/// libpq's spelling of the address, or why it has none.
Result<std::string> checked_url(const PqLibrary& pq, const std::string& url) {
  const bool keywords = is_keyword_address(url);
  if (!keywords && url.find("://") == url.npos) return no_address(url);
  const std::string plain = keywords ? url : cat("postgresql", url.substr(url.find("://")));
  // A password with characters nobody escaped would be taken for something else, and be shown.
  const std::size_t start = plain.find("://") + 3;
  const std::size_t at = keywords ? plain.npos : plain.rfind('@');
  const std::string user = at == plain.npos ? "" : plain.substr(start, at - start);
  const bool escaped =
      user.find_first_of("/@?#") == user.npos && std::count(user.begin(), user.end(), ':') <= 1;
  char* said = nullptr;
  PQconninfoOption* const options = pq.PQconninfoParse(plain.c_str(), &said);
  pq.PQfreemem(said);
  if (options != nullptr) pq.PQconninfoFree(options);
  if (options != nullptr && escaped) return plain;
  return no_address(url);
}

}  // namespace

Result<std::unique_ptr<SqlConnection>> open_postgresql(const std::string& url) {
  CH_TRY(const PqLibrary* const pq, load_pq());
  CH_TRY(std::string checked, checked_url(*pq, url));
  auto connection = std::make_unique<PgConnection>(*pq, std::move(checked));
  CH_CHECK(connection->reconnect());
  return std::unique_ptr<SqlConnection>(std::move(connection));
}

}  // namespace chop::search
