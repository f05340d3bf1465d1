// Splits, scalers, repeated rows and checks, down to the bits of numpy and scikit-learn.
#include "data/splits.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "data/numpy_random.hpp"
#include "data/rows.hpp"

namespace chop {
namespace {

using Rows = std::vector<std::uint32_t>;
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

TEST(NumpyRandom, GivesTheNumbersOfNumpy) {
  NumpyRandom random(0);
  EXPECT_EQ(random.random_sample(), 0.5488135039273248);
  EXPECT_EQ(random.random_sample(), 0.7151893663724195);
  EXPECT_EQ(NumpyRandom(42).permutation(10), (Rows{8, 1, 5, 0, 7, 2, 9, 4, 3, 6}));
  EXPECT_EQ(NumpyRandom(42).permutation(1), Rows{0});
  EXPECT_EQ(NumpyRandom(42).permutation(0), Rows{});
}

TEST(TrainTestSplit, GivesTheRowsOfScikitLearn) {
  const RowSplit split = train_test_split(10, 0.2, 42);
  EXPECT_EQ(split.test, (Rows{8, 1}));
  EXPECT_EQ(split.train, (Rows{5, 0, 7, 2, 9, 4, 3, 6}));
  EXPECT_EQ(train_test_split(986'806, 0.2, 42).test.size(), 197'362U);
  EXPECT_EQ(train_test_split(2, 0.2, 42).test.size(), 1U);
}

TEST(Scaler, StandardisesByPopulationVarianceAndLeavesConstantColumnsAlone) {
  const std::vector<double> values = {1, 5, 1e300, 3, 5, 1e300, 5, 5, 1e300};
  const RowTable<double> table{.values = values, .stride = 3, .width = 2};
  const Rows rows = {0, 1, 2};
  const Scaler scaler = fit_scaler(table, rows, 2);
  EXPECT_EQ(scaler.mean, (std::vector<double>{3, 5}));
  EXPECT_EQ(scaler.scale, (std::vector<double>{std::sqrt(8.0 / 3.0), 1}));
  const Rows first = {2, 0};
  EXPECT_EQ(take_rows(table, first, scaler, 1),
            Tensor::of<float>({2, 2}, {static_cast<float>(2 / std::sqrt(8.0 / 3.0)), 0,
                                       static_cast<float>(-2 / std::sqrt(8.0 / 3.0)), 0}));
  EXPECT_EQ(take_rows(table, first, {}, 1), Tensor::of<float>({2, 2}, {5, 5, 1, 5}));
}

TEST(Scaler, TheNumberOfThreadsDoesNotMatter) {
  std::vector<float> values(20'000 * 11);
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<float>(std::sin(static_cast<double>(i)));
  const RowTable<float> table{.values = values, .stride = 11, .width = 11};
  Rows rows(20'000);
  std::iota(rows.begin(), rows.end(), 0U);
  const Scaler one = fit_scaler(table, rows, 1);
  const Scaler two = fit_scaler(table, rows, 2);
  EXPECT_EQ(one.mean, two.mean);
  EXPECT_EQ(one.scale, two.scale);
  EXPECT_EQ(take_rows(table, rows, one, 1), take_rows(table, rows, one, 2));
}

TEST(FirstOccurrences, KeepsTheFirstOfEqualRows) {
  const std::vector<double> values = {0, 1, -0.0, 1, kNan, 2, -kNan, 2, 0, 2, 0, 1};
  EXPECT_EQ(first_occurrences(values, 2, {}, 1), (Rows{0, 2, 4}));
  const std::vector<std::uint8_t> labels = {0, 1, 0, 0, 0, 1};
  EXPECT_EQ(first_occurrences(values, 2, labels, 2), (Rows{0, 1, 2, 4}));
  EXPECT_EQ(first_occurrences({}, 2, {}, 1), Rows{});
}

TEST(CheckFinite, NamesTheFirstBadRowAndColumn) {
  std::vector<double> values(300'000, 1.0);
  const std::vector<std::string> columns = {"a", "b", "c"};
  EXPECT_TRUE(check_finite<double>(values, 3, columns, "f.csv", 2));
  values[200'000] = -HUGE_VAL;
  values[100'000] = kNan;
  const Status status = check_finite<double>(values, 3, columns, "f.csv", 2);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().what, "'f.csv': row 33333, column 'b' holds nan");
  const std::vector<float> huge = {3e38F, 3e38F, -HUGE_VALF};
  EXPECT_EQ(check_finite<float>(huge, 3, {}, "f", 1).error().what,
            "'f': row 0, column 2 holds -inf");
}

TEST(Labels, AreWholeNumbersFromZero) {
  EXPECT_EQ(labels_from(Tensor::of<float>({3, 1}, {0, 2, 1}), 3, "f").value(),
            Tensor::of<std::int64_t>({3}, {0, 2, 1}));
  for (const double bad : {-1.0, 0.5, 1e9, kNan, HUGE_VAL}) {
    const Result<Tensor> result = labels_from(Tensor::of<double>({2}, {0, bad}), 2, "f");
    ASSERT_FALSE(result) << bad;
    EXPECT_NE(result.error().what.find("row 1"), std::string::npos);
  }
  EXPECT_FALSE(labels_from(Tensor::of<double>({2}, {0, 1}), 3, "f"));
  EXPECT_FALSE(labels_from(Tensor(DType::F32, {2, 5}), 2, "f"));
}

Split numbered(std::int64_t rows) {
  Split split{.x = Tensor(DType::F32, {rows, 2}), .y = Tensor(DType::I64, {rows})};
  for (std::size_t i = 0; i < static_cast<std::size_t>(rows); ++i) {
    split.x.mutable_data<float>()[2 * i] = static_cast<float>(i);
    split.y.mutable_data<std::int64_t>()[i] = static_cast<std::int64_t>(i);
  }
  return split;
}

TEST(Validation, TakesTheLastTenthOfTheTrainRows) {
  Dataset dataset;
  ASSERT_TRUE(split_validation(dataset, numbered(29), {}));
  EXPECT_EQ(dataset.train.rows(), 27);
  EXPECT_EQ(dataset.validation.y, Tensor::of<std::int64_t>({2}, {27, 28}));
  EXPECT_EQ(dataset.validation.x, Tensor::of<float>({2, 2}, {27, 0, 28, 0}));
  EXPECT_EQ(dataset.train.x.at(52), 26);
}

TEST(Validation, SharesTheTensorsOfTrainWhenAskedTo) {
  Dataset dataset;
  ASSERT_TRUE(split_validation(dataset, numbered(29), {.validation = Validation::Train}));
  EXPECT_EQ(dataset.train.rows(), 29);
  EXPECT_EQ(dataset.train.x.bytes(), dataset.validation.x.bytes());
}

TEST(Validation, OfRowsThatMayBeSortedIsAMixture) {
  Dataset dataset;
  ASSERT_TRUE(split_validation_shuffled(dataset, numbered(100), {.validation_fraction = 0.25}));
  EXPECT_EQ(dataset.train.rows(), 75);
  EXPECT_EQ(dataset.validation.rows(), 25);
  std::vector<bool> seen(100, false);
  for (const Split* split : {&dataset.train, &dataset.validation})
    for (std::int64_t i = 0; i < split->rows(); ++i) {
      EXPECT_EQ(split->x.at(2 * i), split->y.at(i));
      seen[static_cast<std::size_t>(split->y.at(i))] = true;
      EXPECT_TRUE(i == 0 || split->y.at(i - 1) < split->y.at(i));
    }
  EXPECT_EQ(std::count(seen.begin(), seen.end(), true), 100);
  EXPECT_LT(dataset.validation.y.at(0), 25);
}

TEST(Validation, AFractionOfFewRowsIsAtLeastOne) {
  EXPECT_EQ(validation_rows(2, {}).value(), 1);
  EXPECT_EQ(validation_rows(9, {}).value(), 1);
  EXPECT_EQ(validation_rows(29, {}).value(), 2);
}

TEST(Validation, IsKnownByName) {
  const std::vector<std::string_view> names = validation_names();
  for (std::size_t i = 0; i < names.size(); ++i)
    EXPECT_EQ(parse_validation(names[i]), static_cast<Validation>(i)) << names[i];
  EXPECT_EQ(parse_validation("train"), Validation::Train);
  EXPECT_EQ(parse_validation("test"), std::nullopt);
}

TEST(Validation, ImpossibleOptionsAreErrors) {
  for (const double bad : {0.0, 1.0, -0.1, kNan})
    EXPECT_FALSE(validation_rows(100, {.validation_fraction = bad})) << bad;
  const Result<std::int64_t> none = validation_rows(1, {});
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().what, "1 train row leaves none for validation");
}

}  // namespace
}  // namespace chop
