// A SQLite file that somebody deleted while it was in use.
#pragma once

#include <sqlite3.h>

#include "support/result.hpp"

namespace chop::search {

/// True when `file`, which `database` has open, is not there any more or is another file.
bool has_moved(sqlite3* database);

/// Writes what `database` still holds to `file` again, unless another process did so already, and
/// returns where it is now: beside it when a file of something else has that name. No transaction
/// may be open, and no process may write to the deleted file any more: each looks for has_moved()
/// before and after it has locked it.
Result<std::string> restore_sqlite(sqlite3* database, const std::string& file);

/// Makes an empty file where there is none, without what a deleted one has left beside it: a log
/// and its index, which are found by name, and which others may still have open.
void make_sqlite_file(const std::string& file);

}  // namespace chop::search
