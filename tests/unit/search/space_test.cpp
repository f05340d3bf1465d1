#include "search/space/space.hpp"

#include <gtest/gtest.h>

#include <set>

#include "search/store/trial.hpp"

namespace chop {
namespace {

SpaceParameter choice(std::string name, int count, std::vector<Condition> when = {}) {
  std::vector<Tree> choices;
  for (int i = 0; i < count; ++i) choices.emplace_back(i * 2);
  return {std::move(name), Distribution::categorical(std::move(choices)), std::move(when)};
}

/// Two formats: the first has a width of 3, the second a width and an exponent of 2.
Space conditional() {
  return Space({choice("a/name", 2), choice("a/width", 3),
                choice("a/exponent", 2, {{0, {false, true}}}), choice("b", 5)});
}

/// Points by going through every combination of all choices.
std::set<std::vector<std::string>> enumerated(const Space& space) {
  std::set<std::vector<std::string>> found;
  std::vector<std::int64_t> digits(space.dimensions(), 0);
  for (bool more = true; more;) {
    Point point(digits.begin(), digits.end());
    std::vector<std::string> key;
    for (const double value : space.canonical(point)) key.push_back(cat(value));
    found.insert(key);
    more = false;
    for (std::size_t i = digits.size(); i-- > 0 && !more;) {
      more = ++digits[i] < count_values(space.parameters()[i].distribution);
      if (!more) digits[i] = 0;
    }
  }
  return found;
}

/// A random space of categorical parameters, some of which hang on earlier ones.
Space random_space(std::uint64_t seed) {
  const Stream stream(seed, "space");
  std::uint64_t n = 0;
  std::vector<SpaceParameter> parameters;
  std::vector<std::size_t> free;
  const std::uint64_t count = 1 + stream.below(n++, 6);
  for (std::size_t i = 0; i < count; ++i) {
    SpaceParameter one = choice(cat("p", i), 1 + static_cast<int>(stream.below(n++, 3)));
    if (!free.empty() && stream.below(n++, 2) == 0) {
      for (std::uint64_t c = stream.below(n++, 2) + 1; c > 0; --c) {
        Condition when{free[stream.below(n++, free.size())], {}};
        const std::int64_t parents = count_values(parameters[when.parent].distribution);
        for (std::int64_t k = 0; k < parents; ++k)
          when.choices.push_back(stream.below(n++, 2) == 0);
        one.when.push_back(std::move(when));
      }
    } else {
      free.push_back(i);
    }
    parameters.push_back(std::move(one));
  }
  return Space(std::move(parameters));
}

TEST(Space, CountsConditionalParametersOnlyWhereTheyAreActive) {
  EXPECT_EQ(conditional().size(), (3 + 3 * 2) * 5);
}

TEST(Space, AtGoesThroughEveryPointOnce) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const Space space = random_space(seed);
    const auto expected = enumerated(space);
    ASSERT_EQ(space.size(), static_cast<std::int64_t>(expected.size())) << seed;
    std::set<std::vector<std::string>> found;
    for (std::int64_t i = 0; i < *space.size(); ++i) {
      const Point point = space.at(i);
      EXPECT_TRUE(space.holds(point));
      std::vector<std::string> key;
      for (const double value : point) key.push_back(cat(value));
      found.insert(key);
    }
    EXPECT_EQ(found, expected) << seed;
  }
}

TEST(Space, DrawnPointsAreInIt) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const Space space = random_space(seed);
    EXPECT_TRUE(space.holds(space.draw(Stream(seed, "draw"))));
  }
}

TEST(Space, HasNoSizeWhenThereAreTooManyPoints) {
  std::vector<SpaceParameter> parameters;
  for (int i = 0; i < 40; ++i) parameters.push_back(choice(cat("p", i), 3));
  EXPECT_EQ(Space(parameters).size(), std::nullopt);
  EXPECT_EQ(Space({{"rate", Distribution::real(0, 1)}}).size(), std::nullopt);
  EXPECT_EQ(Space({{"rate", Distribution::real(0, 1, 1e-300)}}).size(), std::nullopt);
  EXPECT_EQ(Space().size(), 1);
}

TEST(Space, TheLastParameterChangesFastest) {
  const Space space({choice("a", 2), choice("b", 3)});
  EXPECT_TRUE(same_point(space.at(1), {0, 1}));
  EXPECT_TRUE(same_point(space.at(3), {1, 0}));
}

TEST(Distribution, UniformNumbersGiveValuesOfTheDistribution) {
  const std::vector<Distribution> all = {
      Distribution::categorical({Tree(), Tree(true), Tree(3), Tree("x")}),
      Distribution::integer(-3, 8),
      Distribution::integer(1, 10, 4),
      Distribution::integer(1, 1000, 1, true),
      Distribution::real(-2, 5),
      Distribution::real(0, 1, 0.3),
      Distribution::real(1e-5, 1e-1, 0, true),
      Distribution::real(2, 2)};
  for (const Distribution& d : all) {
    for (const double u : {1e-17, 0.1, 0.5, 0.77, 0.9999999999999999}) {
      const double value = value_at(d, u);
      EXPECT_TRUE(contains(d, value)) << to_string(d) << " " << u << " " << value;
      const Result<double> back = to_internal(d, to_external(d, value));
      ASSERT_TRUE(back);
      EXPECT_EQ(back.value(), value);
    }
    const Result<Distribution> read = distribution_from_json(to_json_text(d));
    ASSERT_TRUE(read) << to_json_text(d);
    EXPECT_EQ(read.value(), d);
    for (std::int64_t i = 0; i < count_values(d); ++i) EXPECT_TRUE(contains(d, nth_value(d, i)));
  }
  EXPECT_EQ(count_values(all[1]), 12);
  EXPECT_EQ(count_values(all[2]), 3);  // 1, 5, 9
  EXPECT_EQ(count_values(all[5]), 4);
  EXPECT_EQ(count_values(all[7]), 1);
}

TEST(Distribution, AreWrittenAsOptunaDoes) {
  EXPECT_EQ(
      to_json_text(Distribution::categorical({Tree(), Tree(true), Tree(1), Tree(2.5), "x"})),
      R"({"name": "CategoricalDistribution", "attributes": {"choices": [null, true, 1, 2.5, "x"]}})");
  EXPECT_EQ(
      to_json_text(Distribution::real(1e-5, 0.1, 0, true)),
      R"({"name": "FloatDistribution", "attributes": {"step": null, "low": 1e-05, "high": 0.1, "log": true}})");
  EXPECT_EQ(
      to_json_text(Distribution::integer(1, 9, 2)),
      R"({"name": "IntDistribution", "attributes": {"log": false, "step": 2, "low": 1, "high": 9}})");
}

TEST(Distribution, ReadsNamesOfEarlierVersions) {
  const auto read = [](const char* text) { return distribution_from_json(text).value(); };
  EXPECT_EQ(read(R"({"name": "LogUniformDistribution", "attributes": {"low": 0.1, "high": 1}})"),
            Distribution::real(0.1, 1, 0, true));
  EXPECT_EQ(
      read(
          R"({"name": "DiscreteUniformDistribution", "attributes": {"low": 0, "high": 1, "q": 0.5}})"),
      Distribution::real(0, 1, 0.5));
  EXPECT_EQ(
      read(R"({"name": "IntUniformDistribution", "attributes": {"low": 0, "high": 7, "step": 1}})"),
      Distribution::integer(0, 7));
}

TEST(Distribution, RefusesInvalidDistributions) {
  for (const char* text :
       {"", "[]", "{}", R"({"name": "x", "attributes": {}})", R"({"name": 3, "attributes": {}})",
        R"({"name": "FloatDistribution", "attributes": {"low": 2, "high": 1}})",
        R"({"name": "FloatDistribution", "attributes": {}})",
        R"({"name": "FloatDistribution", "attributes": {"low": 0, "high": 1, "log": true}})",
        R"({"name": "IntDistribution", "attributes": {"low": 0, "high": 1, "step": 0}})",
        R"({"name": "IntDistribution", "attributes": {"low": 0, "high": 1e300}})",
        R"({"name": "IntDistribution", "attributes": {"low": 0, "high": 1, "step": 1e300}})",
        R"({"name": "CategoricalDistribution", "attributes": {"choices": []}})"})
    EXPECT_FALSE(distribution_from_json(text)) << text;
}

TEST(LocalTime, ReadsWhatItWrites) {
  for (const LocalTime time : {LocalTime{0}, LocalTime{1'700'000'000'123'456}, local_now()})
    EXPECT_EQ(local_time_from(to_text(time)), time);
  EXPECT_EQ(to_text(LocalTime{1'700'000'000'123'456}), "2023-11-14 22:13:20.123456");
  EXPECT_EQ(local_time_from("2023-11-14 22:13:20"), LocalTime{1'700'000'000'000'000});
  EXPECT_EQ(local_time_from("2023-11-14 22:13:20.5"), LocalTime{1'700'000'000'500'000});
  EXPECT_EQ(local_time_from("2023-11-14 22:13:20.5e300"), std::nullopt);
  EXPECT_EQ(local_time_from("yesterday"), std::nullopt);
}

TEST(Direction, HasNamesInAnySpelling) {
  EXPECT_EQ(direction_from_name("minimize"), Direction::Minimise);
  EXPECT_EQ(direction_from_name("Maximise"), Direction::Maximise);
  EXPECT_EQ(direction_from_name("up"), std::nullopt);
  EXPECT_TRUE(better(Direction::Minimise, 1, 2));
  EXPECT_TRUE(better(Direction::Maximise, 1, std::nan("")));
  EXPECT_FALSE(better(Direction::Maximise, std::nan(""), std::nan("")));
}

}  // namespace
}  // namespace chop
