// The smallest and the largest of many floats, and whether a NaN was among them.
#pragma once

#include "support/layers.hpp"

namespace chop::analysis {

struct Extent {
  float least = std::numeric_limits<float>::infinity();
  float most = -std::numeric_limits<float>::infinity();
  std::uint32_t nan = 0;  ///< not 0: there was one

  void add(float value) {
    least = value < least ? value : least;
    most = value > most ? value : most;
    nan |= static_cast<std::uint32_t>(value != value);
  }

  /// The order of values does not matter.
  void add(std::span<const float> values);
};

}  // namespace chop::analysis
