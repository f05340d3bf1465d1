// Results of an action, for people and for programs.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "cli/action_def.hpp"
#include "report/table.hpp"
#include "support/result.hpp"

namespace chop {

/// False when `--json -` claims standard output: then nothing else may be printed there.
bool prints_text(const Invocation& invocation);

/// Writes `json` where --json says; without --json nothing happens.
Status write_json(const Invocation& invocation, const nlohmann::ordered_json& json);

/// A table whose rows are the whole result: drawn on `out` and written by write_json().
Status print_table(const Invocation& invocation, const Table& table,
                   TableStyle style = TableStyle::Pretty);

}  // namespace chop
