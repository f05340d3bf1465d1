// Memory planning: where values live in a plan's block of memory. Two values share bytes only when
// their live ranges do not meet.
#pragma once

#include "support/layers.hpp"

namespace chop::compile {

struct LiveRange {
  std::size_t bytes = 0;
  std::size_t first = 0;   ///< step that writes it
  std::size_t last = 0;    ///< last step that reads it
  std::size_t offset = 0;  ///< assigned by assign_offsets
};

/// Assigns 64-byte aligned offsets, largest value first, each at the lowest offset that is free for
/// its whole range (greedy by size); returns the bytes needed.
std::size_t assign_offsets(std::vector<LiveRange>& values);

}  // namespace chop::compile
