#include "data/synthetic/jsc_synthetic.hpp"

#include <numbers>
#include <numeric>

#include "support/rng.hpp"
#include "support/system/threads.hpp"

namespace chop::data {
namespace {

constexpr std::uint64_t kGold = 0x9E3779B97F4A7C15;
constexpr std::uint64_t kMostAttempts = 64;
using Latent = std::array<double, kJetLatents>;
using Features = std::span<double, kJetFeatures>;

/// Running sums of the weights over their total.
void accumulate(std::span<const double> weights, std::span<double> bounds) {
  const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  double sum = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    sum += weights[i] / total;
    bounds[i] = sum;
  }
}

/// How many bounds are at or below u; at most the index of the last.
std::size_t pick(std::span<const double> bounds, double u) {
  std::size_t below = 0;
  for (const double bound : bounds) below += bound <= u ? 1U : 0U;
  return std::min(below, bounds.size() - 1);
}

void features_of(const Latent& z, Features x) {
  x[0] = -z[0];
  x[1] = 0.5 * (1 - std::exp(-z[1]));
  x[2] = std::exp(z[4] + z[2] - z[3]);
  x[3] = std::exp(2 * (z[2] - z[3]));
  x[6] = std::exp(z[5]);
  x[4] = x[6] * x[2];
  x[5] = std::exp(z[6]) * (x[4] * x[4]);
  x[7] = x[5] / x[3];
  x[8] = x[6];
  x[9] = std::exp(z[5] + 3 * z[4]);
  x[10] = std::exp(z[7]);
  x[11] = std::exp(z[7] + z[8]);
  x[12] = std::exp(z[9]) * x[9];
  x[13] = std::exp(z[10]) * x[11];
  x[14] = std::exp(z[2]);
  x[15] = std::nearbyint(std::exp(z[11]));
}

bool is_inside_box(const Latent& z) {
  for (std::size_t i = 0; i < kJetLatents; ++i) {
    if (z[i] < kJscSyntheticTable.latent_least[i] || z[i] > kJscSyntheticTable.latent_most[i])
      return false;
  }
  return true;
}

/// What is true of every real jet: Rényi entropies fall (H1 > H2), the entropy stays below
/// the logarithm of the multiplicity, and c1_b1^2 < c1_b0 c1_b2 (Cauchy-Schwarz).
bool is_physical(const Latent& z, Features x) {
  if (z[0] <= z[1] || std::log(x[15]) < z[0] || 2 * z[4] >= std::log(x[1])) return false;
  for (std::size_t i = 0; i < kJetFeatures; ++i)
    if (x[i] > kJscSyntheticTable.feature_most[i]) return false;
  return true;
}

}  // namespace

JetGenerator::JetGenerator(std::uint64_t seed) : key_(mix64(seed + kGold)) {
  accumulate(kJscSyntheticTable.class_weight, class_bounds_);
  for (std::size_t label = 0; label < kJetClasses; ++label) {
    const std::size_t at = label * kJetComponents;
    accumulate(std::span(kJscSyntheticTable.weight).subspan(at, kJetComponents),
               std::span(component_bounds_).subspan(at, kJetComponents));
  }
}

double JetGenerator::uniform(std::uint64_t row, std::uint64_t attempt, std::uint64_t slot) const {
  const std::uint64_t counter = row << 16 | attempt << 5 | slot;
  const std::uint64_t bits = mix64(mix64(counter * kGold + key_) ^ key_);
  return (static_cast<double>(bits >> 11) + 0.5) * 0x1p-53;
}

JetGenerator::Latent JetGenerator::draw_latent(std::uint64_t row, std::uint64_t attempt,
                                               std::size_t label) const {
  const std::span<const double> bounds =
      std::span(component_bounds_).subspan(label * kJetComponents, kJetComponents);
  const std::size_t component = label * kJetComponents + pick(bounds, uniform(row, attempt, 1));
  Latent normal{};
  for (std::size_t p = 0; p < kJetLatents / 2; ++p) {
    const double radius = std::sqrt(-2 * std::log(uniform(row, attempt, 2 + 2 * p)));
    const double angle = 2 * std::numbers::pi * uniform(row, attempt, 3 + 2 * p);
    normal[2 * p] = radius * std::cos(angle);
    normal[2 * p + 1] = radius * std::sin(angle);
  }
  const double* mean = &kJscSyntheticTable.mean[component * kJetLatents];
  const double* cholesky = &kJscSyntheticTable.cholesky[component * kJetTriangle];
  Latent z{};
  std::copy_n(mean, kJetLatents, z.begin());
  for (std::size_t j = 0; j < kJetLatents; ++j)
    for (std::size_t i = j; i < kJetLatents; ++i) z[i] += cholesky[i * (i + 1) / 2 + j] * normal[j];
  return z;
}

std::uint8_t JetGenerator::draw(std::uint64_t row, Features features) const {
  const std::size_t label = pick(class_bounds_, uniform(row, 0, 0));
  Latent z{};
  for (std::uint64_t attempt = 0; attempt < kMostAttempts; ++attempt) {
    z = draw_latent(row, attempt, label);
    if (!is_inside_box(z)) continue;
    features_of(z, features);
    if (is_physical(z, features)) return static_cast<std::uint8_t>(label);
  }
  for (std::size_t i = 0; i < kJetLatents; ++i)
    z[i] = std::clamp(z[i], kJscSyntheticTable.latent_least[i], kJscSyntheticTable.latent_most[i]);
  features_of(z, features);
  return static_cast<std::uint8_t>(label);
}

void JetGenerator::draw_all(std::span<double> features, std::span<std::uint8_t> labels,
                            int threads) const {
  assert(features.size() == labels.size() * kJetFeatures && "16 features for every label");
  constexpr std::size_t kBlock = 4096;
  const auto blocks = static_cast<std::int64_t>((labels.size() + kBlock - 1) / kBlock);
  parallel_for(threads, blocks, [&](std::int64_t block) {
    const std::size_t begin = static_cast<std::size_t>(block) * kBlock;
    const std::size_t end = std::min(begin + kBlock, labels.size());
    for (std::size_t row = begin; row < end; ++row) {
      const std::span<double, kJetFeatures> out(&features[row * kJetFeatures], kJetFeatures);
      labels[row] = draw(row, out);
    }
  });
}

}  // namespace chop::data
