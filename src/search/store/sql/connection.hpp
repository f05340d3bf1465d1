// A connection to a database that holds Optuna's tables, and how its SQL differs from others'.
#pragma once

#include <functional>
#include <variant>

#include "support/result.hpp"

namespace chop::search {

/// An argument of a statement or a field of a row; the first kind is NULL.
using SqlValue = std::variant<std::monostate, std::int64_t, double, std::string>;
using SqlRow = std::vector<SqlValue>;
using SqlRows = std::vector<SqlRow>;

std::int64_t integer_of(const SqlValue& value);     ///< 0 if it is none
double number_of(const SqlValue& value);            ///< NaN if it is none
const std::string& text_of(const SqlValue& value);  ///< empty if it is none

/// Arguments are $1, $2 ..., which appear in the text in this order.
struct SqlCommand {
  std::string_view text;
  std::vector<SqlValue> args = {};
};

struct SqlDialect {
  std::string_view begin;  ///< begins a transaction that will write
  /// Holds study $1 until the transaction ends: gives its id and a name of the transaction.
  std::string_view lock_study;
  /// What became of the transaction of name $1: "committed", "aborted", "in progress". Empty: a
  /// commit that fails has not happened.
  std::string_view outcome;
  std::string_view now;            ///< the server's clock, as heartbeats have it
  std::string_view heartbeat_age;  ///< seconds since `heartbeat`, by that clock
  std::string_view in_list;        ///< condition: the column is in the list $1
  std::string_view hold_rows;      ///< suffix of a query that locks its rows
  std::string_view tables;         ///< a query of the names of all tables
  std::string_view lock_schema;    ///< in a transaction: no other process makes tables meanwhile
  bool has_enums = false;          ///< and serial numbers, and times: PostgreSQL's types
  char list_open = '[';
  char list_close = ']';
};

/// A list of numbers as an argument for `in_list`.
SqlValue list_argument(const SqlDialect& dialect, std::span<const std::int64_t> numbers);

/// Used by one thread at a time.
class SqlConnection {
 public:
  virtual ~SqlConnection() = default;

  virtual const SqlDialect& dialect() const = 0;
  /// The address for messages.
  virtual const std::string& shown() const = 0;
  virtual Result<SqlRows> query(const SqlCommand& command) = 0;
  /// Several in order; what they give is dropped. The first error ends it.
  virtual Status execute(std::span<const SqlCommand> commands) = 0;

  /// False if nobody but this connection wrote since the last call.
  virtual Result<bool> others_wrote() = 0;
  /// The last call failed because the server is gone.
  virtual bool is_lost() const = 0;
  virtual Status reconnect() = 0;
};

using SqlConnect = std::function<Result<std::unique_ptr<SqlConnection>>()>;

/// One command without a result.
Status execute(SqlConnection& connection, SqlCommand command);

/// A transaction that is undone unless it is committed.
class SqlTransaction {
 public:
  static Result<SqlTransaction> begin(SqlConnection& connection);
  SqlTransaction(SqlTransaction&& other) noexcept;
  SqlTransaction& operator=(SqlTransaction&&) = delete;
  ~SqlTransaction();
  Status commit();

 private:
  explicit SqlTransaction(SqlConnection& connection) : connection_(&connection) {}
  SqlConnection* connection_;  ///< null: it is over
};

}  // namespace chop::search
