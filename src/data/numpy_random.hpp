// numpy.random.RandomState (the Mersenne twister MT19937), to the bit: scikit-learn's splits use
// it.
#pragma once

#include <random>

#include "support/layers.hpp"

namespace chop::data {

class NumpyRandom {
 public:
  /// RandomState(seed).
  explicit NumpyRandom(std::uint32_t seed) : engine_(seed) {}

  /// rand(), random_sample(): 53 random bits in [0, 1).
  double random_sample();
  /// permutation(n); n below 2^32.
  std::vector<std::uint32_t> permutation(std::int64_t n);

 private:
  std::uint32_t interval(std::uint32_t most);

  std::mt19937 engine_;
};

}  // namespace chop::data
