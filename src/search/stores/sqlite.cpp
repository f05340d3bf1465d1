// Studies in a SQLite file: sqlite:///study.db, sqlite:////absolute/study.db, or just its path.
#include "search/store/sql/sql_store.hpp"
#include "search/store/sql/sqlite_connection.hpp"

namespace chop::search::stores::sqlite {
namespace {

constexpr std::string_view kScheme = "sqlite:///";

Result<std::unique_ptr<StudyStore>> open(const std::string& url, Create create) {
  const std::string file = url.starts_with(kScheme) ? url.substr(kScheme.size()) : url;
  if (file.empty() || file == ":memory:")
    return Error{.what = cat("'", url, "' names no file"),
                 .hint = "sqlite:///study.db, or `memory` for a study that is not kept"};
  return open_sql_store([file, create] { return open_sqlite(file, create); }, create);
}

}  // namespace

StoreDef define() {
  return {.name = "sqlite",
          .doc = "a SQLite file, which processes of one machine can share",
          .example = "sqlite:///study.db",
          .accepts =
              [](std::string_view url) {
                return url.starts_with(kScheme) ||
                       (!url.empty() && url != "memory" && url.find("://") == url.npos);
              },
          .open = open};
}

}  // namespace chop::search::stores::sqlite
