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

/// Every format, each in a few configurations from everyday to extreme.
inline std::vector<NumberFormat> sample_formats() {
  const auto i = [](std::int64_t n) { return Attr(n); };
  const auto b = [](std::initializer_list<std::int64_t> sizes) { return Attr(Ints(sizes)); };
  return {
      {"float", {}},
      {"integer", {{"width", i(8)}, {"frac_width", i(4)}}},
      {"integer", {{"width", i(8)}, {"frac_width", i(4)}, {"is_signed", false}}},
      {"fixed", {{"width", i(1)}, {"frac_width", i(0)}}},
      {"integer", {{"width", i(16)}, {"frac_width", i(20)}}},
      {"integer", {{"width", i(32)}, {"frac_width", i(-3)}}},
      {"integer_floor", {{"width", i(8)}, {"frac_width", i(4)}}},
      {"integer_floor", {{"width", i(5)}, {"frac_width", i(7)}, {"is_signed", false}}},
      {"scale_integer", {{"width", i(8)}}},
      {"scale_integer", {{"width", i(4)}, {"is_signed", false}}},
      {"scale_integer", {{"width", i(6)}, {"granularity", std::string("channel")}}},
      {"scale_integer", {{"width", i(24)}, {"granularity", std::string("tensor")}}},
      {"affine", {{"width", i(8)}, {"scale", 0.05}}},
      {"affine", {{"width", i(4)}, {"narrow", true}}},
      {"affine", {{"width", i(8)}, {"is_signed", false}, {"zero_point", i(128)}, {"scale", 0.02}}},
      {"affine", {{"width", i(2)}, {"granularity", std::string("channel")}}},
      {"affine", {{"width", i(1)}, {"is_signed", false}, {"zero_point", i(1)}, {"scale", 1.5}}},
      {"lsq_integer", {{"width", i(4)}}},
      {"lsq_integer", {{"width", i(8)}, {"step", 0.1}}},
      {"lsq_integer", {{"width", i(3)}, {"granularity", std::string("channel")}}},
      {"minifloat_denorm", {{"width", i(8)}, {"exponent_width", i(4)}, {"exponent_bias", i(7)}}},
      {"minifloat_denorm", {{"width", i(4)}, {"exponent_width", i(2)}}},
      {"minifloat_denorm", {{"width", i(31)}, {"exponent_width", i(8)}}},
      {"minifloat_denorm", {{"width", i(9)}, {"exponent_width", i(3)}, {"exponent_bias", i(140)}}},
      {"minifloat_denorm",
       {{"width", i(12)}, {"exponent_width", i(8)}, {"exponent_bias", i(-100)}}},
      {"minifloat_ieee", {{"width", i(8)}, {"exponent_width", i(4)}, {"exponent_bias", i(7)}}},
      {"minifloat_ieee", {{"width", i(6)}, {"exponent_width", i(3)}}},
      {"minifloat_ieee", {{"width", i(31)}, {"exponent_width", i(8)}}},
      {"minifloat_ieee", {{"width", i(5)}, {"exponent_width", i(3)}, {"exponent_bias", i(149)}}},
      {"minifloat_ieee", {{"width", i(12)}, {"exponent_width", i(8)}, {"exponent_bias", i(-126)}}},
      {"log", {{"width", i(8)}}},
      {"log", {{"width", i(8)}, {"exponent_bias", i(128)}}},
      {"log", {{"width", i(4)}}},
      {"log", {{"width", i(9)}, {"exponent_bias", i(149)}}},
      {"block_fp", {{"width", i(7)}, {"exponent_width", i(8)}, {"block_size", b({16})}}},
      {"block_fp",
       {{"width", i(12)},
        {"exponent_width", i(3)},
        {"exponent_bias", i(127)},
        {"block_size", b({1, 4})}}},
      {"block_fp", {{"width", i(24)}, {"block_size", b({2, 3})}, {"skip_first_dim", true}}},
      {"block_minifloat",
       {{"width", i(8)},
        {"exponent_width", i(4)},
        {"exponent_bias_width", i(4)},
        {"block_size", b({8})}}},
      {"block_minifloat",
       {{"width", i(6)},
        {"exponent_width", i(3)},
        {"exponent_bias_width", i(8)},
        {"block_size", b({1, 5})},
        {"bias_rule", std::string("top")}}},
      {"block_log", {{"width", i(8)}, {"exponent_bias_width", i(4)}, {"block_size", b({16})}}},
      {"block_log",
       {{"width", i(5)},
        {"exponent_bias_width", i(8)},
        {"block_size", b({3, -1})},
        {"skip_first_dim", true}}},
      {"mxint", {{"width", i(8)}}},
      {"mxint", {{"width", i(24)}, {"block_size", i(5)}, {"block_dim", i(0)}}},
      {"mxint", {{"width", i(4)}, {"block_size", i(7)}, {"scale_bits", i(3)}}},
      {"mxfp", {{"exponent_width", i(4)}, {"frac_width", i(3)}}},
      {"mxfp", {{"exponent_width", i(2)}, {"frac_width", i(1)}, {"block_size", i(3)}}},
      {"mxfp", {{"exponent_width", i(5)}, {"frac_width", i(10)}, {"block_dim", i(0)}}},
      {"mxfp", {{"exponent_width", i(1)}, {"frac_width", i(0)}, {"block_size", i(4)}}},
      {"binary", {}},
      {"binary", {{"bipolar", false}}},
      {"binary", {{"bipolar", true}, {"scaled", true}}},
      {"binary", {{"bipolar", false}, {"scaled", false}}},
      {"binary", {{"stochastic", true}}},
      {"binary_residual", {}},
      {"binary_residual", {{"levels", i(3)}, {"means", std::vector<double>{0.7, 0.2, -0.1}}}},
      {"ternary", {}},
      {"ternary", {{"scaling_factor", true}}},
      {"ternary", {{"mean", 0.8}}},
      {"ternary", {{"max", 4.0}, {"scaling_factor", true}}},
  };
}

}  // namespace chop
