// Studies in a database with Optuna's tables.
#pragma once

#include "search/store/sql/connection.hpp"
#include "search/store/store.hpp"

namespace chop::search {

/// A store over connections that `connect` opens. Looks at the tables, and makes them if need be.
Result<std::unique_ptr<StudyStore>> open_sql_store(SqlConnect connect, Create create);

}  // namespace chop::search
