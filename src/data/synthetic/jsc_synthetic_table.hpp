// The mixture the synthetic jets are drawn from: for each of the five classes, sixteen
// Gaussian components in a space of twelve latent coordinates.
#pragma once

#include "support/layers.hpp"

namespace chop::data {

inline constexpr std::size_t kJetClasses = 5;
inline constexpr std::size_t kJetFeatures = 16;
inline constexpr std::size_t kJetComponents = 16;
inline constexpr std::size_t kJetLatents = 12;
/// Entries of a lower triangle, row by row: L00, L10, L11, L20, ...
inline constexpr std::size_t kJetTriangle = kJetLatents * (kJetLatents + 1) / 2;

struct JscSyntheticTable {
  std::array<double, kJetClasses> class_weight;
  std::array<double, kJetLatents> latent_least;  ///< the box a draw must fall into
  std::array<double, kJetLatents> latent_most;
  std::array<double, kJetFeatures> feature_most;  ///< caps in physical units
  std::array<double, kJetClasses * kJetComponents> weight;
  std::array<double, kJetClasses * kJetComponents * kJetLatents> mean;
  std::array<double, kJetClasses * kJetComponents * kJetTriangle> cholesky;
};

extern const JscSyntheticTable kJscSyntheticTable;

}  // namespace chop::data
