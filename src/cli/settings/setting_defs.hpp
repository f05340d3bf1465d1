// The parts of the one table of settings; all_settings() joins them.
#pragma once

#include "cli/settings/setting_def.hpp"

namespace chop::cli {

/// The field of an option of training, with another default where the reference system has one.
Field training_field(std::string_view option, Tree initial = {});

std::vector<SettingDef> reference_settings();
std::vector<SettingDef> own_settings();
/// Flags of the reference system that have no row in its table.
std::vector<SettingDef> unlisted_settings();

}  // namespace chop::cli
