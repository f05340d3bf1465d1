// Statistics as JSON: tensors are nested lists, reals F32 and whole numbers I64.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "ir/metadata.hpp"

namespace chop {

/// Reads back exactly. A tensor a nested list cannot tell (no elements, or no dimensions) is
/// {"tensor": "f32", "shape": [0, 3], "data": []}.
nlohmann::ordered_json json_of(const StatValue& value);
nlohmann::ordered_json json_of(const Stats& stats);
Result<Stats> stats_from_json(const nlohmann::json& json, const std::string& path);

}  // namespace chop
