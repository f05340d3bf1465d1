// The statistics by themselves: the reference system's numbers, too few samples, wrong arguments.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "analysis/statistics/quantile_sketch.hpp"
#include "analysis/statistics/stat_report.hpp"
#include "support/json.hpp"
#include "support/paths.hpp"
#include "support/system/files.hpp"
#include "support/text.hpp"

namespace chop {
namespace {

Result<StatResult> measure(std::string_view stat, const Tree& args, const Shape& shape,
                           const std::vector<float>& data, std::int64_t batch = 1) {
  Tree table = Tree::table();
  table.set(stat, args);
  CH_TRY(const std::vector<StatisticCall> calls, statistic_calls(table, {.path = "stats"}));
  CH_TRY(const std::unique_ptr<Statistic> statistic, calls[0].def->make(calls[0].args, shape));
  const auto size = static_cast<std::size_t>(numel(shape));
  for (std::size_t at = 0; at < data.size(); at += size * static_cast<std::size_t>(batch))
    statistic->update(data.data() + at, batch);
  return statistic->result();
}

Tree table_of(std::initializer_list<std::pair<std::string, Tree>> entries) {
  return Tree::Table(entries.begin(), entries.end());
}

double number(const StatResult& result, const std::string& key) {
  const StatValue& value = result.at(key);
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return static_cast<double>(*whole);
  return std::get<double>(value);
}

std::string complaint(std::string_view stat, const Tree& args, const Shape& shape = {1, 3, 4}) {
  const Result<StatResult> result =
      measure(stat, args, shape, std::vector<float>(static_cast<std::size_t>(numel(shape))));
  return result ? "" : to_string(result.error());
}

void flatten(const Tree& tree, std::vector<double>& values) {
  if (const Tree::List* items = tree.as_list())
    for (const Tree& item : *items) flatten(item, values);
  else
    values.push_back(tree.number());
}

Shape shape_of(const Tree& tree) {
  Shape shape;
  for (const Tree* at = &tree; at->is_list(); at = &(*at)[0])
    shape.push_back(static_cast<std::int64_t>(at->size()));
  return shape;
}

void expect_same(const Tree& wanted, const StatValue& found, const std::string& what) {
  std::vector<double> values;
  flatten(wanted, values);
  const auto* tensor = std::get_if<Tensor>(&found);
  if (wanted.is_list()) {
    ASSERT_NE(tensor, nullptr) << what;
    ASSERT_EQ(shape_of(wanted), tensor->shape()) << what;
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double ours =
        tensor != nullptr ? tensor->at(static_cast<std::int64_t>(i)) : number({{"x", found}}, "x");
    EXPECT_NEAR(ours, values[i], 1e-5 * std::max(1e-3, std::fabs(values[i]))) << what << " " << i;
  }
}

TEST(Statistics, AreThoseOfTheReferenceSystem) {
  const Result<std::string> text =
      read_file(test::source_path("tests/data/golden/statistics.json"));
  ASSERT_TRUE(text);
  const Tree cases = parse_json(text.value(), "cases").value();
  ASSERT_GT(cases.size(), 0U);
  for (const Tree& one : *cases.as_list()) {
    std::vector<double> values;
    flatten(one["samples"], values);
    const std::vector<float> data(values.begin(), values.end());
    for (const std::int64_t batch : {std::int64_t{1}, std::int64_t{5}}) {
      const auto result =
          measure(*one["stat"].as_text(), one["args"], shape_of(one["samples"][0]), data, batch);
      ASSERT_TRUE(result) << to_string(result.error());
      for (const auto& [key, wanted] : *one["result"].as_table())
        expect_same(wanted, result.value().at(key),
                    cat(to_json(one["stat"]), to_json(one["args"]), " ", key));
    }
  }
}

const std::vector<float> kTwoSamples = {1, 2, 3, 4, 5, 6, 7, 8};

StatResult of_two(std::string_view stat, const Tree& args = {}) {
  return measure(stat, args, {1, 4}, kTwoSamples).value();
}

TEST(Statistics, HaveTheValuesComputedByHandForTwoSamples) {
  EXPECT_EQ(number(of_two("variance_precise"), "mean"), 4.5);
  EXPECT_EQ(number(of_two("variance_precise"), "variance"), 6);
  EXPECT_EQ(number(of_two("variance_precise"), "count"), 8);
  EXPECT_EQ(number(of_two("variance_precise"), "size_in_bytes"), 32);
  EXPECT_EQ(number(of_two("variance_online"), "mean"), 4.5);
  EXPECT_NEAR(number(of_two("variance_online"), "variance"), 5.6666667, 1e-7);
  EXPECT_EQ(number(of_two("variance_online"), "count"), 8);
  const StatResult sigma = of_two("range_n_sigma", table_of({{"var_mode", "precise"}}));
  EXPECT_NEAR(number(sigma, "min"), -2.8484692, 1e-7);
  EXPECT_NEAR(number(sigma, "max"), 11.8484692, 1e-7);
  EXPECT_NEAR(number(sigma, "range"), 14.6969385, 1e-7);
  const StatResult range = of_two("range_min_max");
  EXPECT_EQ(number(range, "min"), 1);
  EXPECT_EQ(number(range, "max"), 8);
  EXPECT_EQ(number(range, "range"), 7);
  EXPECT_EQ(number(range, "count"), 8);
  const StatResult quantile = of_two("range_quantile", table_of({{"quantile", 0.97}}));
  EXPECT_NEAR(number(quantile, "min"), 1.21, 1e-12);
  EXPECT_NEAR(number(quantile, "max"), 7.79, 1e-12);
  EXPECT_NEAR(number(quantile, "range"), 6.58, 1e-12);
  EXPECT_EQ(number(of_two("abs_mean"), "abs_mean"), 4.5);
  EXPECT_EQ(number(of_two("record"), "count"), 2);
  EXPECT_EQ(number(of_two("record"), "size_in_bytes"), 32);
}

TEST(Statistics, UnbiasedAndPopulationVarianceAreOptions) {
  EXPECT_EQ(number(of_two("variance_online", table_of({{"estimator", "population"}})), "variance"),
            5.25);
  EXPECT_EQ(number(of_two("variance_online", table_of({{"estimator", "unbiased"}})), "variance"),
            6);
  const StatResult online = of_two("range_n_sigma", table_of({{"estimator", "unbiased"}}));
  const StatResult precise = of_two("range_n_sigma", table_of({{"var_mode", "precise"}}));
  EXPECT_DOUBLE_EQ(number(online, "max"), number(precise, "max"));
}

TEST(Statistics, TooFewSamplesAreNotAvailable) {
  const auto word = [](std::string_view stat, const char* key) {
    const StatResult result =
        measure(stat, table_of({{"dims", Tree()}}), {1, 4}, {1, 2, 3, 4}).value();
    const auto* text = std::get_if<std::string>(&result.at(key));
    return text == nullptr ? "" : *text;
  };
  EXPECT_EQ(word("variance_online", "mean"), "NA");
  EXPECT_EQ(word("variance_online", "variance"), "NA");
  EXPECT_EQ(word("variance_precise", "variance"), "NA");
  EXPECT_EQ(word("range_n_sigma", "min"), "NA");
  EXPECT_EQ(word("range_min_max", "range"), "NA");
  EXPECT_EQ(word("range_min_max", "min"), "");
  EXPECT_EQ(measure("variance_online", {}, {1}, {1}).value().count("count"), 0U);
  EXPECT_EQ(std::get<std::string>(measure("abs_mean", {}, {1, 0}, {}).value().at("abs_mean")),
            "NA");
}

TEST(Statistics, RecordJoinsSamplesAlongTheFirstDimension) {
  const StatResult plain = of_two("record");
  EXPECT_EQ(std::get<Tensor>(plain.at("data")), Tensor::of<float>({2, 4}, kTwoSamples));
  const StatResult stacked = of_two("record", table_of({{"add_new_dim_before_concat", true}}));
  EXPECT_EQ(std::get<Tensor>(stacked.at("data")).shape(), (Shape{2, 1, 4}));
}

TEST(Statistics, ANanMakesItsGroupNan) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> data = {1, nan, -3, 2};
  for (const char* mode : {"exact", "stream"}) {
    const auto result = measure("range_quantile", table_of({{"mode", mode}}), {1, 2}, data);
    EXPECT_TRUE(std::isnan(number(result.value(), "max"))) << mode;
  }
  const StatResult range =
      measure("range_min_max", table_of({{"dims", Tree(Tree::List{0})}}), {1, 2}, data).value();
  EXPECT_EQ(std::get<Tensor>(range.at("min")).at(0), -3);
  EXPECT_TRUE(std::isnan(std::get<Tensor>(range.at("min")).at(1)));
  EXPECT_EQ(number(measure("histogram", {}, {1, 2}, data).value(), "nan"), 1);
}

TEST(Statistics, WrongArgumentsAreNamedWithWhatIsAllowed) {
  EXPECT_EQ(complaint("range_quantile", table_of({{"quantile", 1.5}})),
            "error: stats.range_quantile.quantile = 1.5 is not allowed\n"
            "  hint: quantile is a number from 0 to 1\n");
  EXPECT_EQ(complaint("range_min_max", table_of({{"dims", Tree(Tree::List{3})}})),
            "error: stats.range_min_max.dims: axis 3 does not exist in samples of shape "
            "[1, 3, 4]\n"
            "  hint: use axes from 0 to 2, \"all\" or \"none\"\n");
  EXPECT_NE(complaint("abs_mean", table_of({{"dims", "some"}})).find("\"all\", \"none\" or a list"),
            std::string::npos);
  EXPECT_NE(complaint("abs_mean", table_of({{"dims", Tree(Tree::List{1, -2})}})).find("twice"),
            std::string::npos);
  EXPECT_NE(complaint("range_min_mux", {}).find("did you mean 'range_min_max'?"),
            std::string::npos);
  EXPECT_NE(complaint("range_n_sigma", table_of({{"var_mode", "fast"}})).find("online, precise"),
            std::string::npos);
  EXPECT_NE(complaint("histogram", table_of({{"min", 1}})).find("give both min and max"),
            std::string::npos);
  EXPECT_NE(complaint("histogram", table_of({{"min", 1}, {"max", 1}})).find("not above min"),
            std::string::npos);
}

TEST(QuantileSketch, OrderedBitsAreOrdered) {
  const float inf = std::numeric_limits<float>::infinity();
  const std::vector<float> rising = {-inf, -3e38F, -1, -1e-40F, 0, 1e-45F, 1e-30F, 1, 3e38F, inf};
  for (std::size_t i = 1; i < rising.size(); ++i)
    EXPECT_LT(ordered_bits(rising[i - 1]), ordered_bits(rising[i])) << rising[i];
  EXPECT_EQ(ordered_bits(-0.0F), ordered_bits(0.0F));
}

TEST(QuantileSketch, CountsBeyond16BitsAreExact) {
  constexpr std::size_t kOnes = 200'001;
  constexpr std::size_t kTwos = 65'536;
  std::vector<float> values(kOnes, 1.0F);
  values.insert(values.end(), kTwos, 2.0F);
  values.push_back(-3.0F);
  QuantileSketch sketch(1);
  for (std::size_t at = 0; at < values.size(); at += 1021)
    sketch.add_span(0,
                    std::span(values).subspan(at, std::min<std::size_t>(1021, values.size() - at)));
  const std::vector<double> ranks = {0, 1, kOnes, kOnes + 1, kOnes + kTwos};
  EXPECT_EQ(sketch.at(0, ranks), (std::vector<double>{-3, 1, 1, 2, 2}));
}

TEST(QuantileSketch, ManyGroupsStayWithinTheirShareOfMemory) {
  constexpr std::size_t kGroups = 17000;
  QuantileSketch sketch(kGroups);
  std::vector<float> values(kGroups);
  for (int sample = 0; sample < 100; ++sample) {
    for (std::size_t g = 0; g < kGroups; ++g)
      values[g] = static_cast<float>(
          std::sin((static_cast<double>(sample) * 1.7) + static_cast<double>(g)));
    sketch.add_lanes(values);
  }
  EXPECT_LE(sketch.size_in_bytes(), kGroups * (64 * 16 + 64 * 4 + 64));
  EXPECT_LT(sketch.relative_error(), 0.6);
  const std::vector<double> middle = {49.5};
  EXPECT_NEAR(sketch.at(0, middle)[0], 0, 0.05);
}

}  // namespace
}  // namespace chop
