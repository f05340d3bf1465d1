// The texts of `ch --help` and `ch ACTION --help`.
#pragma once

#include "cli/action_def.hpp"

namespace chop::cli {

std::string program_help();
std::string action_help(const ActionDef& action);
std::string upper_case(std::string_view text);

}  // namespace chop::cli
