// The tables, which are those of Optuna 3.1: the same names, types, keys and indices, so that
// either program opens what the other made.
#pragma once

#include "search/store/sql/connection.hpp"
#include "search/store/store.hpp"

namespace chop::search {

/// Makes the tables in a database that has none (with Create::Yes). Tables of later versions of
/// Optuna are accepted, of earlier ones not, nor a database with tables of something else.
Status prepare_schema(SqlConnection& connection, Create create);

}  // namespace chop::search
