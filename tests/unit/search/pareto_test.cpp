// Fronts and volumes against definitions written out.
#include "search/algorithms/pareto.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <ctime>
#include <limits>

#include "support/rng.hpp"

namespace chop {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Few distinct values, so there are ties and equal rows.
std::vector<Losses> draw_rows(std::uint64_t seed, std::size_t count, std::size_t objectives,
                              std::uint64_t distinct) {
  const Stream stream(seed, "rows");
  std::vector<Losses> rows(count, Losses(objectives));
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t k = 0; k < objectives; ++k)
      rows[i][k] = static_cast<double>(stream.below(i * objectives + k, distinct));
  return rows;
}

/// By the definition: take away those that none of the rest dominates, again and again.
std::vector<int> peeled_ranks(const std::vector<Losses>& rows) {
  std::vector<int> ranks(rows.size(), -1);
  std::size_t left = rows.size();
  for (int rank = 0; left > 0; ++rank) {
    std::vector<std::size_t> front;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      bool dominated = ranks[i] >= 0;
      for (std::size_t j = 0; j < rows.size(); ++j)
        dominated = dominated || (ranks[j] < 0 && dominates(rows[j], rows[i]));
      if (!dominated) front.push_back(i);
    }
    for (const std::size_t i : front) ranks[i] = rank;
    left -= front.size();
  }
  return ranks;
}

TEST(Pareto, RanksEqualRepeatedRemovalOfTheFront) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const std::size_t objectives = 1 + seed % 4;
    const std::vector<Losses> rows = draw_rows(seed, 1 + seed, objectives, 3 + seed % 20);
    EXPECT_EQ(nondominated_ranks(rows), peeled_ranks(rows)) << "seed " << seed;
  }
}

TEST(Pareto, TheFrontHasAllOfItsEqualRows) {
  const std::vector<Losses> rows = {{1, 2}, {2, 1}, {2, 2}, {1, 2}, {kInfinity, 0}};
  EXPECT_EQ(pareto_front(rows), (std::vector<std::size_t>{0, 1, 3, 4}));
  EXPECT_TRUE(pareto_front(std::vector<Losses>{}).empty());
}

TEST(Pareto, LossesNegateMaximisedValuesAndReplaceNaN) {
  const std::vector<double> values = {1, 2, std::nan("")};
  const std::vector<Direction> directions = {Direction::Minimise, Direction::Maximise,
                                             Direction::Maximise};
  EXPECT_EQ(losses_of(values, directions), (Losses{1, -2, kInfinity}));
}

TEST(Pareto, HypervolumeEqualsCountingCells) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const std::size_t objectives = 1 + seed % 4;
    const std::vector<Losses> rows = draw_rows(seed, seed % 9, objectives, 7);
    const Losses reference(objectives, 5);
    // All values are whole numbers: a unit cell is dominated as a whole or not at all.
    std::size_t cells = 1;
    for (std::size_t k = 0; k < objectives; ++k) cells *= 5;
    double volume = 0;
    for (std::size_t cell = 0; cell < cells; ++cell) {
      bool dominated = false;
      for (const Losses& row : rows) {
        bool below = true;
        std::size_t rest = cell;
        for (std::size_t k = 0; k < objectives; ++k, rest /= 5)
          below = below && row[k] <= static_cast<double>(rest % 5);
        dominated = dominated || below;
      }
      volume += dominated ? 1 : 0;
    }
    EXPECT_EQ(hypervolume(rows, reference), volume) << "seed " << seed;
  }
}

TEST(Pareto, CrowdingIsTheSidesOfTheBoxBetweenNeighbours) {
  const std::vector<Losses> rows = {{0, 10}, {4, 4}, {1, 8}, {10, 0}};
  const std::vector<double> distances = crowding_distances(rows);
  EXPECT_EQ(distances[0], kInfinity);
  EXPECT_EQ(distances[3], kInfinity);
  EXPECT_DOUBLE_EQ(distances[2], 0.4 + 0.6);
  EXPECT_DOUBLE_EQ(distances[1], 0.9 + 0.8);
  const std::vector<double> equal = crowding_distances(std::vector<Losses>(3, Losses{1, 1}));
  EXPECT_EQ(equal[1], 0);
}

TEST(Pareto, RanksOfManyPairsTakeLittleTime) {
  const std::vector<Losses> rows = draw_rows(1, 200'000, 2, 1'000'000'000);
  const std::clock_t start = std::clock();  // of the processor: others may be at work
  EXPECT_EQ(nondominated_ranks(rows).size(), rows.size());
  const double seconds = double(std::clock() - start) / CLOCKS_PER_SEC;
  EXPECT_LT(seconds, 5) << "comparing all pairs of them would take minutes";
}

}  // namespace
}  // namespace chop
