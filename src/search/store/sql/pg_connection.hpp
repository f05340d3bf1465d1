// Connections to PostgreSQL servers.
#pragma once

#include "search/store/sql/connection.hpp"

namespace chop::search {

/// postgresql://user:password@host:port/dbname?options, as libpq reads it. An address nobody
/// answers at is an error within seconds; no message shows the password.
Result<std::unique_ptr<SqlConnection>> open_postgresql(const std::string& url);

}  // namespace chop::search
