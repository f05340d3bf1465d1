// Where values live in a plan's block of memory: two values share bytes only when their
// lifetimes do not meet.
#pragma once

#include <cstddef>
#include <vector>

#include "support/layers.hpp"

namespace chop::runtime {

struct Lifetime {
  std::size_t bytes = 0;
  std::size_t first = 0;   ///< step that writes it
  std::size_t last = 0;    ///< last step that reads it
  std::size_t offset = 0;  ///< assigned by assign_offsets
};

/// Assigns 64-byte aligned offsets, largest first, each at the lowest place that is free for
/// its whole life; returns the bytes needed.
std::size_t assign_offsets(std::vector<Lifetime>& values);

}  // namespace chop::runtime
