// Normal numbers for tests of kernels.
#pragma once

#include <cstdint>
#include <vector>

#include "support/rng.hpp"

namespace chop::test {

inline std::vector<float> noise(std::int64_t count, const char* purpose) {
  const Stream stream(1, purpose);
  std::vector<float> values(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(stream.normal(i));
  return values;
}

}  // namespace chop::test
