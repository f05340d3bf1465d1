// The parts of the one table of settings; all_settings() joins them.
#pragma once

#include <vector>

#include "cli/settings/setting_def.hpp"

namespace chop::cli {

constexpr Bounds kAtLeastZero = {.least = 0};
constexpr Bounds kAtLeastOne = {.least = 1};
constexpr Bounds kAboveZero = {.above = 0};

/// The default "auto" of a whole number is the machine's number of cores.
std::vector<SettingDef> reference_settings();
std::vector<SettingDef> own_settings();
/// Flags of the reference system that have no row in its table.
std::vector<SettingDef> unlisted_settings();

}  // namespace chop::cli
