// Optuna's tables, made and recognised. Two programs may start on an empty database at once: ours
// take a lock while they make the tables; Optuna takes none and stores the version last, so tables
// without a version are waited for.
#include "search/store/sql/schema.hpp"

#include <chrono>
#include <set>
#include <thread>

#include "support/text.hpp"

namespace chop::search {
namespace {

constexpr std::string_view kAlembicVersion = "v3.0.0.d";
constexpr std::string_view kSchemaVersion = "12";
constexpr std::string_view kLibraryVersion = "3.1.0";
constexpr std::chrono::seconds kMakingTables{10};  ///< Optuna is waited for that long

/// What differs from one database to another in what CREATE TABLE says.
struct ColumnTypes {
  std::string_view id;  ///< of a row: counts by itself
  std::string_view real;
  std::string_view time;
  std::string_view direction;
  std::string_view state;
  std::string_view value_type;
  std::string_view report_type;
  std::vector<std::string_view> first = {};  ///< statements before any table
};

ColumnTypes sqlite_types() {
  return {.id = "INTEGER NOT NULL",
          .real = "FLOAT",
          .time = "DATETIME",
          .direction = "VARCHAR(8)",
          .state = "VARCHAR(8)",
          .value_type = "VARCHAR(7)",
          .report_type = "VARCHAR(7)"};
}

ColumnTypes postgresql_types() {
  return {.id = "SERIAL NOT NULL",
          .real = "FLOAT(53)",
          .time = "TIMESTAMP WITHOUT TIME ZONE",
          .direction = "studydirection",
          .state = "trialstate",
          .value_type = "trialvaluetype",
          .report_type = "trialintermediatevaluetype",
          .first = {
              "CREATE TYPE studydirection AS ENUM ('NOT_SET', 'MINIMIZE', 'MAXIMIZE')",
              "CREATE TYPE trialstate AS ENUM ('RUNNING', 'COMPLETE', 'PRUNED', 'FAIL', 'WAITING')",
              "CREATE TYPE trialvaluetype AS ENUM ('FINITE', 'INF_POS', 'INF_NEG')",
              "CREATE TYPE trialintermediatevaluetype AS ENUM ('FINITE', 'INF_POS', 'INF_NEG', "
              "'NAN')"}};
}

struct SqlTable {
  std::string_view name;
  std::string_view id;  ///< the first column
  std::string columns;  ///< the others, with their types
  std::string_view unique = {};
  std::string_view owner = {};     ///< the table a foreign key leads to
  std::string_view owner_id = {};  ///< by this column, which has the same name there
};

SqlTable attributes_table(std::string_view name, std::string_view id, std::string_view owner,
                          std::string_view owner_id, std::string_view unique) {
  return {name,   id,    cat(owner_id, " INTEGER, \"key\" VARCHAR(512), value_json TEXT"),
          unique, owner, owner_id};
}

std::vector<SqlTable> tables_of(const ColumnTypes& types) {
  const std::string_view of_study = "study_id, \"key\"";
  const std::string_view of_trial = "trial_id, \"key\"";
  return {{"studies", "study_id", "study_name VARCHAR(512) NOT NULL"},
          {"study_directions", "study_direction_id",
           cat("direction ", types.direction,
               " NOT NULL, study_id INTEGER NOT NULL, objective INTEGER NOT NULL"),
           "study_id, objective", "studies", "study_id"},
          attributes_table("study_user_attributes", "study_user_attribute_id", "studies",
                           "study_id", of_study),
          attributes_table("study_system_attributes", "study_system_attribute_id", "studies",
                           "study_id", of_study),
          {"trials", "trial_id",
           cat("number INTEGER, study_id INTEGER, state ", types.state,
               " NOT NULL, datetime_start ", types.time, ", datetime_complete ", types.time),
           "", "studies", "study_id"},
          attributes_table("trial_user_attributes", "trial_user_attribute_id", "trials", "trial_id",
                           of_trial),
          attributes_table("trial_system_attributes", "trial_system_attribute_id", "trials",
                           "trial_id", of_trial),
          {"trial_params", "param_id",
           cat("trial_id INTEGER, param_name VARCHAR(512), param_value ", types.real,
               ", distribution_json TEXT"),
           "trial_id, param_name", "trials", "trial_id"},
          {"trial_values", "trial_value_id",
           cat("trial_id INTEGER NOT NULL, objective INTEGER NOT NULL, value ", types.real,
               ", value_type ", types.value_type, " NOT NULL"),
           "trial_id, objective", "trials", "trial_id"},
          {"trial_intermediate_values", "trial_intermediate_value_id",
           cat("trial_id INTEGER NOT NULL, step INTEGER NOT NULL, intermediate_value ", types.real,
               ", intermediate_value_type ", types.report_type, " NOT NULL"),
           "trial_id, step", "trials", "trial_id"},
          {"trial_heartbeats", "trial_heartbeat_id",
           cat("trial_id INTEGER NOT NULL, heartbeat ", types.time, " NOT NULL"), "trial_id",
           "trials", "trial_id"}};
}

std::string statement_for(const SqlTable& table, const ColumnTypes& types) {
  std::string text = cat("CREATE TABLE ", table.name, " (", table.id, " ", types.id, ", ",
                         table.columns, ", PRIMARY KEY (", table.id, ")");
  if (!table.unique.empty()) text += cat(", UNIQUE (", table.unique, ")");
  if (!table.owner.empty())
    text += cat(", FOREIGN KEY(", table.owner_id, ") REFERENCES ", table.owner, " (",
                table.owner_id, ")");
  return text + ")";
}

ColumnTypes types_of(const SqlDialect& dialect) {
  return dialect.has_enums ? postgresql_types() : sqlite_types();
}

std::vector<std::string> schema(const ColumnTypes& types) {
  std::vector<std::string> all(types.first.begin(), types.first.end());
  for (const SqlTable& table : tables_of(types)) all.push_back(statement_for(table, types));
  all.emplace_back("CREATE UNIQUE INDEX ix_studies_study_name ON studies (study_name)");
  all.emplace_back(
      "CREATE TABLE version_info (version_info_id INTEGER NOT NULL, schema_version INTEGER, "
      "library_version VARCHAR(256), PRIMARY KEY (version_info_id), CHECK (version_info_id=1))");
  all.push_back(
      cat("INSERT INTO version_info VALUES (1, ", kSchemaVersion, ", '", kLibraryVersion, "')"));
  all.emplace_back(
      "CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL, "
      "CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num))");
  all.push_back(cat("INSERT INTO alembic_version VALUES ('", kAlembicVersion, "')"));
  return all;
}

Result<std::set<std::string>> table_names(SqlConnection& connection) {
  CH_TRY(const SqlRows rows, connection.query({connection.dialect().tables}));
  std::set<std::string> names;
  for (const SqlRow& row : rows) names.insert(text_of(row.at(0)));
  return names;
}

/// What a database holds. Optuna makes its tables without a lock and notes their version last.
struct Found {
  std::set<std::string> names;
  std::string version;  ///< as Alembic notes it; empty where there is none (yet)
};

Result<Found> look(SqlConnection& connection) {
  Found found;
  CH_TRY(found.names, table_names(connection));
  if (found.names.count("alembic_version") == 0) return found;
  CH_TRY(const SqlRows rows, connection.query({"SELECT version_num FROM alembic_version"}));
  if (rows.empty()) return found;
  found.version = text_of(rows[0].at(0));
  CH_TRY(found.names, table_names(connection));  // with a version all of them are there
  return found;
}

/// Are these some of Optuna's tables, of which it has not yet said that they are all?
bool half_made(const Found& found, const SqlDialect& dialect) {
  std::set<std::string> others = found.names;
  for (const SqlTable& table : tables_of(types_of(dialect))) others.erase(std::string(table.name));
  others.erase("version_info");
  others.erase("alembic_version");
  return !found.names.empty() && others.empty() && found.version.empty();
}

/// Are these Optuna's tables, and late enough?
Status check_tables(SqlConnection& connection, const Found& found) {
  const std::vector<std::string> names(found.names.begin(), found.names.end());
  if (found.names.count("studies") == 0 || found.names.count("trials") == 0)
    return Error{
        .what = cat("'", connection.shown(), "' holds no studies, but other tables: ",
                    join(std::span(names).first(std::min<std::size_t>(5, names.size())), ", ")),
        .hint = "a study is kept in a database of its own: name another one"};
  const std::string version = found.version.empty() ? "no version is noted" : found.version;
  if (found.version < kAlembicVersion)
    return Error{
        .what = cat("the tables of '", connection.shown(), "' were made by an Optuna before 3.0 (",
                    version, ")"),
        .hint = cat("bring them up to date: optuna storage upgrade --storage URL; needed is ",
                    kAlembicVersion, " or later")};
  for (const SqlTable& table : tables_of(types_of(connection.dialect())))
    if (found.names.count(std::string(table.name)) == 0)
      return Error{.what = cat("'", connection.shown(), "' has no table ", table.name,
                               ", which studies of Optuna ", kLibraryVersion, " need"),
                   .hint = cat("its tables are of version ", version)};
  return {};
}

/// Does nothing if there are tables by now: another of us was faster.
Status create_tables(SqlConnection& connection) {
  CH_TRY(SqlTransaction transaction, SqlTransaction::begin(connection));
  CH_CHECK(execute(connection, {connection.dialect().lock_schema}));
  CH_TRY(const std::set<std::string> names, table_names(connection));
  if (!names.empty()) return {};
  for (const std::string& statement : schema(types_of(connection.dialect())))
    CH_CHECK(execute(connection, {statement}));
  return transaction.commit();
}

}  // namespace

Status prepare_schema(SqlConnection& connection, Create create) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point last = Clock::now() + kMakingTables;
  for (;;) {
    CH_TRY(Found found, look(connection));
    if (found.names.empty() && create == Create::Yes) {
      Status made = create_tables(connection);
      CH_TRY(found, look(connection));
      if (found.names.empty()) return made;  // else Optuna, which knows no lock of ours, was faster
    }
    if (found.names.empty())
      return Error{.what = cat("there are no studies in '", connection.shown(), "'"),
                   .hint = "`ch search` makes one; --storage names the file or server"};
    if (!half_made(found, connection.dialect()) || Clock::now() > last)
      return check_tables(connection, found);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

}  // namespace chop::search
