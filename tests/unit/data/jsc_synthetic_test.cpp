// The synthetic jets against the check values of their specification.
#include "data/synthetic/jsc_synthetic.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace chop {
namespace {

using Jet = std::array<double, kJetFeatures>;

struct Expected {
  int label;
  Jet features;
};

TEST(JscSynthetic, UniformsMatchTheSpecification) {
  const JetGenerator jets(42);
  EXPECT_DOUBLE_EQ(jets.uniform(0, 0, 0), 0.911944601346864);
  EXPECT_DOUBLE_EQ(jets.uniform(0, 0, 1), 0.7579571425890599);
  EXPECT_DOUBLE_EQ(jets.uniform(0, 0, 2), 0.3273387539494009);
  EXPECT_DOUBLE_EQ(jets.uniform(123456, 1, 13), 0.09277340211634327);
}

TEST(JscSynthetic, TheFirstFiveJetsMatchTheSpecification) {
  const std::array<Expected, 5> expected = {{
      {4,
       {-3.85890914558, 0.482203340823, 0.0986130562228, 0.0308861047732, 0.160095754944,
        0.0605102579793, 1.62347422416, 1.95914177018, 1.62347422416, 0.286816375491,
        0.124569664409, 0.0729616623713, 0.380505185415, 0.253107407856, 194.097535612, 109}},
      {1,
       {-1.82880647934, 0.237274636511, 0.00199492701693, 1.74245015619e-05, 0.00134097932291,
        5.67988239697e-06, 0.672194677566, 0.325971011383, 0.672194677566, 0.073372878908,
        0.0407446051101, 0.0189026351763, 0.130964707601, 0.0508891522171, 4.29853161372, 38}},
      {4,
       {-3.15203385827, 0.467687049283, 0.0869207758213, 0.0293613761819, 0.14590842164,
        0.0472527526844, 1.67863689965, 1.60935074676, 1.67863689965, 0.219110372189,
        0.0839342393628, 0.0393305981564, 0.312968456832, 0.180991681004, 167.416140097, 52}},
      {2,
       {-3.39760050035, 0.469133533742, 0.0357419248974, 0.00489781888194, 0.0576034029836,
        0.00487355000192, 1.61164803376, 0.995044961725, 1.61164803376, 0.214684126654,
        0.104005479372, 0.0334850890903, 0.315362347694, 0.125804338505, 73.9363618245, 61}},
      {0,
       {-3.38445012168, 0.462644845782, 0.0148893570702, 0.000651637491039, 0.0197449334436,
        0.000798239767357, 1.32611054665, 1.22497520222, 1.32611054665, 0.26314702838,
        0.14198205815, 0.0780099449588, 0.369415036285, 0.223653594786, 31.105343144, 80}},
  }};
  const JetGenerator jets(42);
  for (std::size_t row = 0; row < expected.size(); ++row) {
    Jet x{};
    EXPECT_EQ(jets.draw(row, x), expected.at(row).label) << row;
    for (std::size_t i = 0; i < kJetFeatures; ++i) {
      const double wanted = expected.at(row).features.at(i);
      EXPECT_NEAR(x.at(i), wanted, 1e-11 * std::abs(wanted)) << "jet " << row << ", feature " << i;
    }
  }
}

TEST(JscSynthetic, CountsAndSumsOfTenThousandJetsMatchTheSpecification) {
  const Jet sums = {-28658.1373, 4347.43936, 372.962586, 77.3082893, 455.0643,   74.7065323,
                    13000.9202,  10875.5557, 13000.9202, 1899.88426, 900.000114, 421.714189,
                    2815.60304,  1436.96145, 738375.451, 515309};
  std::vector<double> features(10'000 * kJetFeatures);
  std::vector<std::uint8_t> labels(10'000);
  JetGenerator(42).draw_all(features, labels, 2);
  std::array<int, kJetClasses> counts{};
  Jet sum{};
  for (std::size_t row = 0; row < labels.size(); ++row) {
    ++counts.at(labels[row]);
    for (std::size_t i = 0; i < kJetFeatures; ++i) sum.at(i) += features[row * kJetFeatures + i];
  }
  EXPECT_EQ(counts, (std::array<int, kJetClasses>{1965, 1974, 2065, 2009, 1987}));
  for (std::size_t i = 0; i < kJetFeatures; ++i)
    EXPECT_NEAR(sum.at(i), sums.at(i), 1e-8 * std::abs(sums.at(i))) << i;
  EXPECT_EQ(sum[15], 515309);
}

TEST(JscSynthetic, TheNumberOfThreadsDoesNotMatterAndTheSeedDoes) {
  std::vector<double> one(9'000 * kJetFeatures);
  std::vector<double> two(9'000 * kJetFeatures);
  std::vector<std::uint8_t> labels(9'000);
  JetGenerator(7).draw_all(one, labels, 1);
  JetGenerator(7).draw_all(two, labels, 2);
  EXPECT_EQ(one, two);
  JetGenerator(8).draw_all(two, labels, 2);
  EXPECT_NE(one, two);
}

}  // namespace
}  // namespace chop
