// A PostgreSQL server: studies that workers on many machines share.
#include "search/store/sql/pg_connection.hpp"
#include "search/store/sql/sql_store.hpp"

namespace chop::search::stores::postgresql {
namespace {

/// postgresql, postgres, postgresql+psycopg2 (SQLAlchemy's form: the Python driver after the + is
/// ignored). Also libpq's other form, "host=... dbname=...".
bool accepts(std::string_view url) {
  if (is_keyword_address(url)) return true;
  // Without asking for "://": a mistyped address would be taken for the name of a SQLite file, and
  // a file be created whose name holds the password.
  const std::string_view scheme = url.substr(0, url.find(':'));
  const std::string_view name = scheme.substr(0, scheme.find('+'));
  return scheme.size() < url.size() && (name == "postgresql" || name == "postgres");
}

Result<std::unique_ptr<StudyStore>> open(const std::string& url, Create create) {
  return open_sql_store([url] { return open_postgresql(url); }, create);
}

}  // namespace

StoreDef define() {
  return {.name = "postgresql",
          .doc = "a PostgreSQL database, which workers on many machines can share",
          .example = "postgresql://user@host/dbname",
          .accepts = accepts,
          .open = open};
}

}  // namespace chop::search::stores::postgresql
