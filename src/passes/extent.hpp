// The smallest and the largest of many floats, and whether a NaN was among them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

namespace chop {

struct Extent {
  float least = std::numeric_limits<float>::infinity();
  float most = -std::numeric_limits<float>::infinity();
  std::uint32_t nan = 0;  ///< not 0: there was one

  void add(float value) {
    least = value < least ? value : least;
    most = value > most ? value : most;
    nan |= static_cast<std::uint32_t>(value != value);
  }

  /// In lanes, so that compilers vectorise it; the order of values does not matter.
  void add(std::span<const float> values) {
    constexpr std::size_t kLanes = 16;
    std::array<float, kLanes> lows;
    std::array<float, kLanes> highs;
    std::array<std::uint32_t, kLanes> nans{};
    lows.fill(least);
    highs.fill(most);
    std::size_t i = 0;
    for (; i + kLanes <= values.size(); i += kLanes)
      for (std::size_t k = 0; k < kLanes; ++k) {
        const float value = values[i + k];
        lows[k] = value < lows[k] ? value : lows[k];
        highs[k] = value > highs[k] ? value : highs[k];
        nans[k] |= static_cast<std::uint32_t>(value != value);
      }
    for (std::size_t k = 0; k < kLanes; ++k) {
      least = lows[k] < least ? lows[k] : least;
      most = highs[k] > most ? highs[k] : most;
      nan |= nans[k];
    }
    for (; i < values.size(); ++i) add(values[i]);
  }
};

}  // namespace chop
