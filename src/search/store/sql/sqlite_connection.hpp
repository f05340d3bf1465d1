// Connections to SQLite files.
#pragma once

#include <filesystem>

#include "search/store/sql/connection.hpp"
#include "search/store/store.hpp"

namespace chop::search {

/// Opens a file, in WAL mode with synchronous = NORMAL, for reading and writing. Without
/// Create::Yes a file that is not there is an error, and one that cannot be written is only read.
Result<std::unique_ptr<SqlConnection>> open_sqlite(const std::filesystem::path& file,
                                                   Create create);

}  // namespace chop::search
