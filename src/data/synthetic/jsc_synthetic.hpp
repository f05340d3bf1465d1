// Synthetic jets: row i of data set `seed` depends only on (seed, i), so rows can be drawn
// in any order and by any number of threads.
#pragma once

#include "data/synthetic/jsc_synthetic_table.hpp"

namespace chop::data {

class JetGenerator {
 public:
  explicit JetGenerator(std::uint64_t seed);

  /// Uniform inside (0, 1); attempt < 2048, slot < 32, row < 2^48.
  double uniform(std::uint64_t row, std::uint64_t attempt, std::uint64_t slot) const;
  /// Writes the 16 features of a row in physical units and returns its class, 0..4.
  std::uint8_t draw(std::uint64_t row, std::span<double, kJetFeatures> features) const;
  /// Rows 0 .. labels.size()-1; `features` takes 16 numbers per row.
  void draw_all(std::span<double> features, std::span<std::uint8_t> labels, int threads) const;

 private:
  using Latent = std::array<double, kJetLatents>;

  Latent draw_latent(std::uint64_t row, std::uint64_t attempt, std::size_t label) const;

  std::uint64_t key_;
  std::array<double, kJetClasses> class_bounds_;
  std::array<double, kJetClasses * kJetComponents> component_bounds_;
};

}  // namespace chop::data
