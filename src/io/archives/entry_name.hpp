// Names of entries in archives.
#pragma once

#include "support/layers.hpp"

namespace chop::io {

/// Why a name could lead out of the folder an archive is unpacked to, else nothing. Nothing is ever
/// unpacked here, but such an archive is not what it says it is.
std::string wrong_entry_name(std::string_view name);

}  // namespace chop::io
