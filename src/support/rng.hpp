// Counter-based random numbers: the n-th number of a stream depends only on the key and n,
// so streams can be drawn in any order, by any number of threads, and resumed anywhere.
#pragma once

#include "support/text.hpp"

namespace chop::support {

/// The finaliser of splitmix64: a bijection on 64 bits that passes for random.
constexpr std::uint64_t mix64(std::uint64_t x) {
  x ^= x >> 30;
  x *= 0xBF58476D1CE4E5B9;
  x ^= x >> 27;
  x *= 0x94D049BB133111EB;
  x ^= x >> 31;
  return x;
}

/// The top 53 bits as a number strictly inside (0, 1): the middle of one of 2^53 steps.
/// The last step's middle would round to 1, so it gives the number just below.
constexpr double unit_interval(std::uint64_t bits) {
  const double middle = (static_cast<double>(bits >> 11) + 0.5) * 0x1p-53;
  return middle < 1 ? middle : 0x1.fffffffffffffp-1;
}

class Stream {
 public:
  /// `purpose` keeps the streams of one seed apart ("init", "shuffle", "dropout").
  Stream(std::uint64_t seed, std::string_view purpose, std::uint64_t step = 0)
      : key_(mix64(mix64(seed + kGold) ^ mix64(hash_text(purpose) + step * kGold))) {}

  std::uint64_t bits(std::uint64_t n) const { return mix64(mix64(n * kGold + key_) ^ key_); }
  /// Strictly inside (0, 1).
  double uniform(std::uint64_t n) const { return unit_interval(bits(n)); }
  /// Standard normal (Box-Muller; numbers 2k and 2k+1 share one pair of uniforms).
  double normal(std::uint64_t n) const;
  /// Uniform over 0 .. bound-1, by multiplication (bias below 2^-32 for bounds we use).
  std::uint64_t below(std::uint64_t n, std::uint64_t bound) const {
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::uint64_t>((static_cast<Wide>(bits(n)) * bound) >> 64);
  }

 private:
  static constexpr std::uint64_t kGold = 0x9E3779B97F4A7C15;
  std::uint64_t key_;
};

}  // namespace chop::support
