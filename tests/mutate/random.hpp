// Numbers for mutators: the same for the same seed, on every machine.
#pragma once

#include <cstdint>
#include <vector>

#include "support/rng.hpp"

namespace chop::mutate {

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(mix64(seed)) {}

  std::uint64_t next() { return state_ = mix64(state_ + 0x9E3779B97F4A7C15); }
  std::size_t below(std::size_t bound) { return bound == 0 ? 0 : next() % bound; }
  bool one_in(std::size_t n) { return below(n) == 0; }
  template <class T>
  const T& of(const std::vector<T>& items) {
    return items[below(items.size())];
  }

 private:
  std::uint64_t state_;
};

}  // namespace chop::mutate
