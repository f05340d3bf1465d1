// The reference system's own results, bit for bit: 135 golden vectors, the 81 weights of a
// published run, and the tables of its description.
#include <fstream>
#include <nlohmann/json.hpp>

#include "support/paths.hpp"
#include "unit/formats/format_helpers.hpp"

namespace chop {
namespace {

using Json = nlohmann::json;

Attr attr_of(const Json& json) {
  if (json.is_boolean()) return json.get<bool>();
  if (json.is_array()) return json.get<Ints>();
  if (json.is_null()) return std::string("NA");
  return json.get<std::int64_t>();
}

/// On matrices and beyond, the reference system puts blocks back together by adding them to
/// zeros, which gives no sign to a zero.
bool has_signed_zeros(const Json& one) {
  return !one["format"].get<std::string>().starts_with("block_") || one["shape"].size() == 1;
}

TEST(Formats, GiveTheReferenceSystemsGoldenNumbersBitForBit) {
  std::ifstream file(test::source_path("tests/data/quantizers.json"));
  const Json cases = Json::parse(file);
  ASSERT_EQ(cases.size(), 135U);
  for (std::size_t c = 0; c < cases.size(); ++c) {
    const Json& one = cases[c];
    NumberFormat format{one["format"], {}};
    for (const auto& [key, value] : one["args"].items()) format.config[key] = attr_of(value);
    const std::vector<float> x = one["input"];
    const std::vector<float> want = one["output"];
    const std::vector<float> got = quantised(format, one["shape"].get<Shape>(), x);
    ASSERT_EQ(got.size(), want.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
      const bool same = has_signed_zeros(one) || want[i] != 0
                            ? bits_of_float(got[i]) == bits_of_float(want[i])
                            : got[i] == 0;
      EXPECT_TRUE(same) << "case " << c << ", " << display(format) << " of " << exact(x[i]) << ": "
                        << exact(got[i]) << ", not " << exact(want[i]);
    }
  }
}

const Attrs kInteger84 = {{"width", std::int64_t{8}}, {"frac_width", std::int64_t{4}}};

TEST(Formats, GiveTheQuantisedWeightsOfThePublishedRun) {
  const std::vector<float> x = {
      -0.0312F, 0.1250F,  -0.0923F, -0.2323F, -0.0515F, 0.1775F,  -0.0179F, 0.1851F,  -0.0339F,
      0.0698F,  -0.0141F, 0.0019F,  -0.2413F, -0.1191F, -0.2104F, -0.0343F, 0.0497F,  -0.0559F,
      0.0175F,  -0.0045F, 0.0795F,  0.1399F,  -0.1013F, -0.0333F, 0.0246F,  0.0914F,  -0.0778F,
      -0.1215F, 0.0155F,  0.1367F,  -0.0362F, -0.2130F, 0.1124F,  -0.1671F, -0.0646F, -0.0880F,
      0.0124F,  0.0092F,  -0.0666F, 0.0286F,  -0.1770F, -0.0771F, -0.0248F, 0.1295F,  -0.0093F,
      -0.0011F, -0.1092F, -0.0055F, -0.0741F, -0.0980F, 0.1860F,  -0.0968F, -0.0452F, 0.0878F,
      0.0946F,  0.1057F,  -0.3195F, -0.0037F, -0.2968F, 0.0584F,  0.1211F,  0.2713F,  0.1203F,
      -0.0250F, -0.1020F, -0.0727F, -0.0265F, 0.2700F,  -0.2691F, 0.3053F,  -0.2221F, 0.3354F,
      -0.1450F, -0.0420F, -0.2243F, -0.2594F, -0.0766F, 0.3295F,  -0.1473F, 0.1601F,  -0.2462F};
  const std::vector<float> want = {
      -0.0F,    0.1250F,  -0.0625F, -0.2500F, -0.0625F, 0.1875F,  -0.0F,    0.1875F,  -0.0625F,
      0.0625F,  -0.0F,    0.0F,     -0.2500F, -0.1250F, -0.1875F, -0.0625F, 0.0625F,  -0.0625F,
      0.0F,     -0.0F,    0.0625F,  0.1250F,  -0.1250F, -0.0625F, 0.0F,     0.0625F,  -0.0625F,
      -0.1250F, 0.0F,     0.1250F,  -0.0625F, -0.1875F, 0.1250F,  -0.1875F, -0.0625F, -0.0625F,
      0.0F,     0.0F,     -0.0625F, 0.0F,     -0.1875F, -0.0625F, -0.0F,    0.1250F,  -0.0F,
      -0.0F,    -0.1250F, -0.0F,    -0.0625F, -0.1250F, 0.1875F,  -0.1250F, -0.0625F, 0.0625F,
      0.1250F,  0.1250F,  -0.3125F, -0.0F,    -0.3125F, 0.0625F,  0.1250F,  0.2500F,  0.1250F,
      -0.0F,    -0.1250F, -0.0625F, -0.0F,    0.2500F,  -0.2500F, 0.3125F,  -0.2500F, 0.3125F,
      -0.1250F, -0.0625F, -0.2500F, -0.2500F, -0.0625F, 0.3125F,  -0.1250F, 0.1875F,  -0.2500F};
  ASSERT_EQ(x.size(), 81U);
  const std::vector<float> got = quantised({"integer", kInteger84}, x);
  for (std::size_t i = 0; i < x.size(); ++i)
    EXPECT_EQ(bits_of_float(got[i]), bits_of_float(want[i])) << x[i] << " at " << i;
}

TEST(Formats, UnsignedIntegersKeepTheSignOfZero) {
  const std::vector<float> x = {-0.0F, -0.01F, -0.03125F, -1.0F, 0.0F, 0.01F, -0.02F, 1.0F};
  const std::vector<float> want = {-0.0F, -0.0F, -0.0F, 0.0F, 0.0F, 0.0F, -0.0F, 1.0F};
  const Attrs unsigned_6_4 = {
      {"width", std::int64_t{6}}, {"frac_width", std::int64_t{4}}, {"is_signed", false}};
  std::vector<float> many;  // one value by itself, and whole vectors of them
  for (int i = 0; i < 16; ++i) many.insert(many.end(), x.begin(), x.end());
  const std::vector<float> got = quantised({"integer", unsigned_6_4}, many);
  for (std::size_t i = 0; i < many.size(); ++i) {
    EXPECT_EQ(bits_of_float(got[i]), bits_of_float(want[i % x.size()])) << many[i];
    const std::vector<float> alone = quantised({"integer", unsigned_6_4}, {many[i]});
    EXPECT_EQ(bits_of_float(alone[0]), bits_of_float(want[i % x.size()])) << many[i];
  }
}

TEST(Formats, RoundTiesOfIntegersToEven) {
  EXPECT_EQ(
      quantised({"integer", kInteger84}, {0.03125F, -0.09375F, 0.15625F, 0.21875F, -0.28125F}),
      (std::vector<float>{0.0F, -0.125F, 0.125F, 0.25F, -0.25F}));
}

struct Row {
  NumberFormat format;
  std::vector<float> x;
  std::vector<float> want;
};

const std::vector<float> kX = {0.0F, 0.001F, 0x1p-7F, 0.03F, 0.1F,  0.3F,   0.5F,    0.75F, 1.0F,
                               1.5F, 1.97F,  2.0F,    3.3F,  7.96F, 100.0F, 1000.0F, -0.3F, -1.97F};
const std::vector<float> kB = {.9F, -.31F, .05F, 0.0F, .6F, -.002F, .25F, -.75F};
const std::vector<float> kC = {100, -31, 5, .4F, 60, -.2F, 25, -75};

Attr whole(std::int64_t n) {
  return n;
}

std::vector<Row> elementwise_rows() {
  const Attrs denorm = {
      {"width", whole(8)}, {"exponent_width", whole(4)}, {"exponent_bias", whole(7)}};
  const Attrs small = {
      {"width", whole(6)}, {"exponent_width", whole(3)}, {"exponent_bias", whole(3)}};
  return {
      {{"integer", kInteger84},
       kX,
       {0, 0, 0, 0, .125F, .3125F, .5F, .75F, 1, 1.5F, 2, 2, 3.3125F, 7.9375F, 7.9375F, 7.9375F,
        -.3125F, -2}},
      {{"integer", {{"width", whole(8)}, {"frac_width", whole(4)}, {"is_signed", false}}},
       kX,
       {0, 0, 0, 0, .125F, .3125F, .5F, .75F, 1, 1.5F, 2, 2, 3.3125F, 7.9375F, 15.9375F, 15.9375F,
        0, 0}},
      {{"integer", {{"width", whole(4)}, {"frac_width", whole(2)}}},
       kX,
       {0, 0, 0, 0, 0, .25F, .5F, .75F, 1, 1.5F, 1.75F, 1.75F, 1.75F, 1.75F, 1.75F, 1.75F, -.25F,
        -2}},
      {{"integer_floor", kInteger84},
       kX,
       {0, 0, 0, 0, .0625F, .25F, .5F, .75F, 1, 1.5F, 1.9375F, 2, 3.25F, 7.9375F, 7.9375F, 7.9375F,
        -.3125F, -2}},
      {{"minifloat_denorm", denorm},
       kX,
       {0, 0x1p-10F, .0068359375F, .02734375F, .09375F, .3125F, .4375F, .75F, .875F, 1.5F, 1.75F,
        1.75F, 3.5F, 7, 96, 224, -.3125F, -1.75F}},
      {{"minifloat_ieee", denorm},
       kX,
       {0, 0x1p-9F, 0x1p-7F, .029296875F, .1015625F, .3125F, .5F, .75F, 1, 1.5F, 1.875F, 2, 3.25F,
        7.5F, 96, 480, -.3125F, -1.875F}},
      {{"minifloat_ieee", small},
       kX,
       {0, 0, 0, 0, .125F, .3125F, .5F, .75F, 1, 1.5F, 1.75F, 2, 3.5F, 7, 28, 28, -.3125F, -1.75F}},
      {{"log", {{"width", whole(8)}}},
       kX,
       {0x1p-63F, 0x1p-10F, 0x1p-7F, 0x1p-5F, 0x1p-3F, .25F, .5F, 1, 1, 2, 2, 2, 4, 8, 128, 1024,
        -.25F, -2}},
      {{"log", {{"width", whole(4)}}},
       kX,
       {.125F, .125F, .125F, .125F, .125F, .25F, .5F, 1, 1, 2, 2, 2, 4, 8, 16, 16, -.25F, -2}},
  };
}

std::vector<Row> block_rows() {
  const auto block_fp = [](std::int64_t width) {
    return NumberFormat{"block_fp",
                        {{"width", whole(width)},
                         {"exponent_width", whole(8)},
                         {"exponent_bias", whole(127)},
                         {"block_size", Ints{8}}}};
  };
  const NumberFormat minifloat{"block_minifloat",
                               {{"width", whole(8)},
                                {"exponent_width", whole(4)},
                                {"exponent_bias_width", whole(4)},
                                {"block_size", Ints{8}}}};
  const NumberFormat log{
      "block_log",
      {{"width", whole(8)}, {"exponent_bias_width", whole(4)}, {"block_size", Ints{8}}}};
  const auto mxint = [](std::int64_t width) {
    return NumberFormat{"mxint", {{"width", whole(width)}, {"block_size", whole(8)}}};
  };
  const NumberFormat mxfp{
      "mxfp", {{"block_size", whole(8)}, {"exponent_width", whole(4)}, {"frac_width", whole(3)}}};
  return {
      {block_fp(7), kB, {.90625F, -.3125F, .046875F, 0, .59375F, -0.0F, .25F, -.75F}},
      {block_fp(4), kB, {.875F, -.25F, 0, 0, .625F, -0.0F, .25F, -.75F}},
      {minifloat, kB, {1, -.25F, 0, 0, .5F, -0.0F, .25F, -.75F}},
      {log, kB, {1, -.25F, .0625F, 0x1p-15F, .5F, -0x1p-9F, .25F, -1}},
      {mxint(8), kB, {.8984375F, -.3125F, .046875F, 0, .6015625F, -0.0F, .25F, -.75F}},
      {mxint(4), kB, {.875F, -.25F, 0, 0, .625F, -0.0F, .25F, -.75F}},
      {mxfp, kB, {.875F, -.3125F, .05078125F, 0, .625F, -0x1p-9F, .25F, -.75F}},
      {block_fp(7), kC, {100, -32, 4, 0, 60, -0.0F, 24, -76}},
      {minifloat, kC, {96, -30, 5, .40625F, 60, -.203125F, 24, -72}},
      {log, kC, {128, -32, 4, .5F, 64, -.25F, 32, -64}},
      {mxint(8), kC, {100, -31, 5, 0, 60, -0.0F, 25, -75}},
      {mxfp, kC, {96, -32, 5, .40625F, 60, -.203125F, 24, -72}},  // the carry is right
      {block_fp(4), {1, -.5F, .25F, .125F}, {.875F, -.5F, .25F, .125F}},
      {mxint(4), {1, -.5F, .25F, .125F}, {.875F, -.5F, .25F, .125F}},
  };
}

TEST(Formats, GiveTheTablesOfTheDescription) {
  std::vector<Row> rows = elementwise_rows();
  for (Row& row : block_rows()) rows.push_back(std::move(row));
  for (const Row& row : rows) {
    const std::vector<float> got = quantised(row.format, row.x);
    ASSERT_EQ(got.size(), row.want.size());
    for (std::size_t i = 0; i < got.size(); ++i)
      EXPECT_EQ(bits_of_float(got[i]), bits_of_float(row.want[i]))
          << display(row.format) << " of " << row.x[i] << ": " << got[i] << ", not " << row.want[i];
  }
}

}  // namespace
}  // namespace chop
