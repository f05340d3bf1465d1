// Statistics as JSON: tensors are nested lists, reals F32 and whole numbers I64.
#pragma once

#include "ir/metadata.hpp"
#include "support/tree.hpp"

namespace chop::ir {

/// Reads back exactly. A tensor that a nested list cannot represent (no elements, or no dimensions)
/// is {"tensor": "f32", "shape": [0, 3], "data": []}.
Tree tree_of(const StatValue& value);
Tree tree_of(const Stats& stats);
Result<Stats> stats_from_json(const Tree& json, const std::string& path);

}  // namespace chop::ir
