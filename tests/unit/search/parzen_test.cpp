// Parzen estimators are densities, draw what they say, and Sobol's points fill the cube.
#include "search/algorithms/parzen.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "search/algorithms/normal.hpp"
#include "search/algorithms/sobol.hpp"

namespace chop {
namespace {

TEST(Normal, ItsApproximationsAreCloseToErfc) {
  for (double x = -7; x <= 7; x += 0.0137) {
    const double p = std::erfc(-x / std::sqrt(2.0)) / 2;
    EXPECT_NEAR(normal_below(x), p, 2e-7);
    EXPECT_NEAR(normal_quantile(p), x, std::abs(x) < 5 ? 1e-6 : 0.1);
  }
}

TEST(Axis, OrdersChoicesThatAreNumbers) {
  const Distribution widths = Distribution::categorical({8, 2, 4});
  const Axis axis(widths);
  ASSERT_TRUE(axis.is_line());
  EXPECT_LT(axis.position_of(1), axis.position_of(2));
  EXPECT_LT(axis.position_of(2), axis.position_of(0));
  const Distribution names = Distribution::categorical({"integer", 2, 4});
  EXPECT_FALSE(Axis(names).is_line());
}

TEST(Axis, PositionsConvertBackToTheirValues) {
  const std::vector<Distribution> all = {
      Distribution::categorical({8, 2, 4}),    Distribution::categorical({"a", "b"}),
      Distribution::categorical({"only"}),     Distribution::integer(-4, 11, 3),
      Distribution::integer(1, 1000, 1, true), Distribution::real(-1, 2, 0.5),
      Distribution::real(1e-6, 1, 0, true),    Distribution::real(3, 3)};
  for (const Distribution& distribution : all) {
    const Axis axis(distribution);
    for (double u = 0.005; u < 1; u += 0.01) {
      const double value = value_at(distribution, u);
      EXPECT_NEAR(axis.value_near(axis.position_of(value)), value, 1e-12)
          << to_string(distribution);
      if (!axis.is_line()) continue;
      EXPECT_GE(axis.position_of(value), 0);
      EXPECT_LE(axis.position_of(value), 1);
    }
  }
}

struct Example {
  Distribution line = Distribution::real(0, 1);
  Distribution names = Distribution::categorical({"a", "b", "c"});
  std::vector<Axis> axes = {Axis(line), Axis(names)};
  std::vector<std::vector<double>> rows = {{0.1, 0}, {0.15, 0}, {0.9, 2}, {kInactive, 1}};

  Parzen parzen() const {
    std::vector<const double*> centres;
    for (const auto& row : rows) centres.push_back(row.data());
    return Parzen(axes, centres, std::vector<double>{1, 2, 1, 1}, {});
  }
};

TEST(Parzen, IsADensity) {
  const Example example;
  const Parzen parzen = example.parzen();
  double joint = 0;
  double line = 0;
  for (double x = 0.0005; x < 1; x += 0.001) {
    line += std::exp(parzen.log_density(0, x)) * 0.001;
    for (double choice = 0; choice < 3; ++choice)
      joint += std::exp(parzen.log_density(std::vector<double>{x, choice})) * 0.001;
  }
  EXPECT_NEAR(joint, 1, 1e-3);
  EXPECT_NEAR(line, 1, 1e-3);
  double names = 0;
  for (double choice = 0; choice < 3; ++choice) names += std::exp(parzen.log_density(1, choice));
  EXPECT_NEAR(names, 1, 1e-5);
}

TEST(Parzen, DrawsByItsDensity) {
  const Example example;
  const Parzen parzen = example.parzen();
  Dice dice(Stream(3, "parzen"));
  constexpr int kDraws = 200'000;
  std::array<int, 30> counts{};
  for (int i = 0; i < kDraws; ++i) {
    const std::size_t kernel = parzen.draw_kernel(dice);
    const double x = parzen.draw_position(kernel, 0, dice);
    const double choice = parzen.draw_position(kernel, 1, dice);
    ++counts.at(static_cast<std::size_t>(std::min(9.0, std::floor(x * 10)) * 3 + choice));
  }
  for (std::size_t cell = 0; cell < counts.size(); ++cell) {
    double expected = 0;
    for (int part = 0; part < 100; ++part) {
      const double x = 0.1 * static_cast<double>(cell / 3) + 0.001 * (part + 0.5);
      expected +=
          std::exp(parzen.log_density(std::vector<double>{x, static_cast<double>(cell % 3)})) *
          0.001;
    }
    EXPECT_NEAR(counts.at(cell) / double{kDraws}, expected, 0.005) << "cell " << cell;
  }
}

TEST(Sobol, EveryPowerOfTwoFillsAllIntervals) {
  for (const std::size_t dimension : {0, 1, 7, 100, 255}) {
    const Stream stream(5, "scramble", dimension);
    std::vector<int> plain(64);
    std::vector<int> scrambled(64);
    for (std::uint32_t i = 0; i < 64; ++i) {
      const std::uint32_t bits = sobol_bits(dimension, i);
      ++plain.at(bits >> 26);
      ++scrambled.at(scrambled_bits(bits, stream) >> 26);
    }
    EXPECT_EQ(plain, std::vector<int>(64, 1)) << "dimension " << dimension;
    EXPECT_EQ(scrambled, std::vector<int>(64, 1)) << "dimension " << dimension;
  }
}

}  // namespace
}  // namespace chop
