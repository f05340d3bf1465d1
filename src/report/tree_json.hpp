// Trees as JSON and back.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "report/table.hpp"
#include "support/tree.hpp"

namespace chop {

/// Tables keep their order; NaN and infinities become null, as in tables.
nlohmann::ordered_json to_json(const Tree& tree);
Tree tree_of(const nlohmann::ordered_json& json);
/// A list with one table per row, under the columns' keys.
Tree tree_of(const Table& table);

}  // namespace chop
