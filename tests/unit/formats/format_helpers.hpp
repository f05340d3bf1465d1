// Quantising lists of numbers in tests, and comparing floats to the last bit.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "formats/quantiser.hpp"
#include "formats/registry.hpp"
#include "support/rng.hpp"
#include "support/text.hpp"

namespace chop {

inline std::uint32_t bits_of_float(float x) {
  return __builtin_bit_cast(std::uint32_t, x);
}

/// Quantised by the fast loops, after checking that the plain definition gives the same bits.
inline std::vector<float> quantised(const NumberFormat& format, const Shape& shape,
                                    const std::vector<float>& x, const QuantiseRun& run = {}) {
  Result<Quantiser> q = Quantiser::make(format, shape);
  EXPECT_TRUE(q) << (q ? "" : to_string(q.error()));
  if (!q) return {};
  std::vector<float> fast(x.size());
  std::vector<float> plain(x.size());
  q.value().run(x.data(), fast.data(), run);
  q.value().run_plainly(x.data(), plain.data(), run);
  int shown = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (bits_of_float(fast[i]) == bits_of_float(plain[i])) continue;
    if (std::isnan(fast[i]) && std::isnan(plain[i])) continue;
    if (++shown > 3) break;
    ADD_FAILURE() << display(format) << " of " << exact(x[i]) << " at " << i << ": fast "
                  << exact(fast[i]) << ", plain " << exact(plain[i]);
  }
  return fast;
}

inline std::vector<float> quantised(const NumberFormat& format, const std::vector<float>& x) {
  return quantised(format, {static_cast<std::int64_t>(x.size())}, x);
}

/// What decode(encode(x)) gives.
inline std::vector<float> recoded(const NumberFormat& format, const Shape& shape,
                                  const std::vector<float>& x, const QuantiseRun& run = {}) {
  Result<Quantiser> q = Quantiser::make(format, shape);
  EXPECT_TRUE(q);
  Result<Encoded> codes = q.value().encode(x.data(), run);
  EXPECT_TRUE(codes) << (codes ? "" : to_string(codes.error()));
  if (!codes) return {};
  const Result<Tensor> back = q.value().decode(codes.value());
  EXPECT_TRUE(back);
  const auto values = back.value().data<float>();
  return {values.begin(), values.end()};
}

/// Numbers of every magnitude, exact ties, powers of two and their neighbours, both zeros,
/// denormals, infinities and NaN.
inline std::vector<float> nasty_values(std::uint64_t seed, bool with_nan = true) {
  const float inf = std::numeric_limits<float>::infinity();
  std::vector<float> values = {0.0F,    -0.0F, 1e-9F, -1e-9F, 1e-8F, -1e-8F,   1.1e-8F,  1e-40F,
                               -1e-45F, 3e38F, inf,   -inf,   1e30F, -3.4e38F, 0x1p-126F};
  if (with_nan) values.push_back(std::numeric_limits<float>::quiet_NaN());
  for (int k = -30; k <= 12; ++k) {
    const float p = std::ldexp(1.0F, k);
    for (const float x : {p, std::nextafter(p, 0.0F), std::nextafter(p, inf), 1.5F * p,
                          1.41421354F * p, 1.4142137F * p, 1.25F * p, 1.97F * p}) {
      values.push_back(x);
      values.push_back(-x);
    }
  }
  const Stream noise(seed, "nasty");
  for (std::uint64_t n = 0; n < 400; ++n)
    values.push_back(
        static_cast<float>(noise.normal(2 * n) * std::pow(10.0, 6 * noise.uniform(5000 + n) - 4)));
  return values;
}

/// Every format in the configurations of its samples.
inline std::vector<NumberFormat> sample_formats() {
  std::vector<NumberFormat> all;
  for (const FormatDef& def : all_formats())
    for (NumberFormat& sample : samples_of(def)) all.push_back(std::move(sample));
  return all;
}

}  // namespace chop
