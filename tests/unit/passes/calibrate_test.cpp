#include "analysis/calibration/calibrate.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "formats/quantiser.hpp"
#include "formats/registry.hpp"
#include "support/rng.hpp"

namespace chop {
namespace {

std::vector<float> normal(std::size_t count, double scale) {
  const Stream stream(7, "calibrate");
  std::vector<float> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<float>(scale * stream.normal(i));
  return values;
}

std::int64_t frac_width(const ValueSample& sample, CalibrationMethod method, std::int64_t width = 8,
                        double quantile = 0.999) {
  const NumberFormat open{"integer", {{"width", width}}};
  const NumberFormat chosen =
      calibrate(open, sample, {.method = method, .quantile = quantile}).value();
  return std::get<std::int64_t>(chosen.config.at("frac_width"));
}

TEST(ValueSample, KeepsAnEvenSampleOfBoundedSizeAndExactExtremes) {
  ValueSample sample(1000);
  std::vector<float> values(100000);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
  sample.update(std::span(values).first(777));
  sample.update(std::span(values).subspan(777));
  EXPECT_EQ(sample.count(), 100000);
  EXPECT_EQ(sample.least(), 0.0F);
  EXPECT_EQ(sample.most(), 99999.0F);
  ASSERT_LE(sample.values().size(), 1000U);
  ASSERT_GE(sample.values().size(), 500U);
  const float stride = sample.values()[1] - sample.values()[0];
  for (std::size_t i = 1; i < sample.values().size(); ++i)
    ASSERT_EQ(sample.values()[i] - sample.values()[i - 1], stride);
  ValueSample whole(1000);
  whole.update(values);
  EXPECT_TRUE(std::equal(whole.values().begin(), whole.values().end(), sample.values().begin(),
                         sample.values().end()));
}

TEST(ValueSample, LeavesOutWhatIsNotFinite) {
  ValueSample sample;
  sample.update(std::vector<float>{1.0F, __builtin_nanf(""), __builtin_inff(), -2.0F});
  EXPECT_EQ(sample.count(), 2);
  EXPECT_EQ(sample.most(), 1.0F);
}

TEST(Calibrate, MinMaxHoldsEveryValueAndNoMore) {
  for (const double most : {0.1, 0.99, 1.0, 3.3, 100.0}) {
    ValueSample sample;
    sample.update(std::vector<float>{static_cast<float>(-most), static_cast<float>(most) * 0.5F,
                                     static_cast<float>(most)});
    const std::int64_t f = frac_width(sample, CalibrationMethod::MinMax);
    EXPECT_GE(127 / std::exp2(f), most);
    EXPECT_LT(127 / std::exp2(f + 1), most);
  }
}

TEST(Calibrate, QuantileIgnoresTheOutermost) {
  ValueSample sample;
  sample.update(normal(10000, 0.1));
  sample.update(std::vector<float>{50.0F});
  EXPECT_LE(frac_width(sample, CalibrationMethod::MinMax), 2);
  EXPECT_GE(frac_width(sample, CalibrationMethod::Quantile, 8, 0.99), 4);
}

/// The error of every frac_width, by hand.
TEST(Calibrate, MseFindsTheLeastError) {
  for (const std::int64_t width : {3, 4, 8}) {
    ValueSample sample;
    const std::vector<float> values = normal(20000, 0.7);
    sample.update(values);
    const std::int64_t chosen = frac_width(sample, CalibrationMethod::Mse, width);
    const auto error = [&](std::int64_t f) {
      double sum = 0;
      const double top = std::exp2(width - 1);
      for (const float v : values) {
        const double q =
            std::clamp(std::nearbyint(double{v} * std::exp2(f)), -top, top - 1) / std::exp2(f);
        sum += (q - double{v}) * (q - double{v});
      }
      return sum;
    };
    for (std::int64_t f = -2; f <= 12; ++f) EXPECT_LE(error(chosen), error(f)) << width << " " << f;
  }
}

TEST(Calibrate, KlClipsLongTailsButNotTheBody) {
  ValueSample sample;
  sample.update(normal(50000, 1.0));
  const std::int64_t f = frac_width(sample, CalibrationMethod::Kl, 6);
  EXPECT_GE(f, 3);
  EXPECT_LE(f, 4);
}

TEST(Calibrate, NoValuesIsAnError) {
  const NumberFormat open{"integer", {{"width", std::int64_t{8}}}};
  EXPECT_EQ(calibrate(open, ValueSample(), {}).error().what, "no values to choose frac_width from");
  EXPECT_EQ(calibration_method("entropy").error().hint, "one of min_max, quantile, mse, kl");
}

TEST(Calibrate, AConstantOfZeroIsFine) {
  ValueSample sample;
  sample.update(std::vector<float>(100, 0.0F));
  for (const auto method : {CalibrationMethod::MinMax, CalibrationMethod::Quantile,
                            CalibrationMethod::Mse, CalibrationMethod::Kl})
    EXPECT_TRUE(calibrate({"integer", {{"width", std::int64_t{8}}}}, sample, {.method = method}));
}

}  // namespace
}  // namespace chop
