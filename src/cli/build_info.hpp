// What this program was built from and with.
#pragma once

#include "support/layers.hpp"

namespace chop::cli {

struct BuildInfo {
  std::string_view version;  ///< "0.1.0"
  std::string_view commit;   ///< of the clone it was built in; "unknown" without one
  std::string compiler;      ///< "GCC 12.2.0"
  std::string_view type;     ///< "Release"
};

BuildInfo build_info();

}  // namespace chop::cli
