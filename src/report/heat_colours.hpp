// The colours of squares that are darker the more they hold.
#pragma once

#include "support/layers.hpp"

namespace chop::report {

/// From paper at 0 to deep blue at 1; every step is darker than the one before.
std::string heat_colour(double share);

}  // namespace chop::report
