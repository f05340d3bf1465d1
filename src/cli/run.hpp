// `ch` from its words to its exit code.
#pragma once

#include <ostream>

#include "cli/action_def.hpp"
#include "cli/settings/settings.hpp"

namespace chop::cli {

/// Runs the command and returns its exit code (see Exit). Results go to `out`; log lines and
/// errors to `err`.
int run_cli(int argc, char** argv, std::ostream& out, std::ostream& err);

/// Everything after the action is known: parse, read the file, merge, run. Third-party
/// exceptions are caught here.
int run_action(const ActionDef& action, std::span<const std::string> words, std::ostream& out,
               std::ostream& err);

}  // namespace chop::cli
