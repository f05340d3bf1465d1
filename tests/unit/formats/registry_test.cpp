// Names, configurations, errors, bits, gradients: what is known of a format beside its numbers.
#include "formats/registry.hpp"

#include "unit/formats/format_helpers.hpp"

namespace chop {
namespace {

Attr whole(std::int64_t n) {
  return n;
}
NumberFormat integer(std::int64_t width, std::int64_t frac) {
  return {"integer", {{"width", whole(width)}, {"frac_width", whole(frac)}}};
}
std::string error_of(const NumberFormat& format, const Shape& shape = {4}) {
  const Result<Quantiser> q = Quantiser::make(format, shape);
  return q ? std::string("no error") : to_string(q.error());
}

TEST(FormatNames, AreFoundWithTheirAliases) {
  EXPECT_EQ(find_format("fixed").value()->name, "integer");
  EXPECT_EQ(find_format("log").value()->name, "log");
  EXPECT_EQ(to_string(find_format("intger").error()),
            cat("error: unknown number format 'intger'\n"
                "  hint: did you mean 'integer'? `ch format --list` lists all ",
                all_formats().size(), "\n"));
}

TEST(FormatNames, AreShownWithTheirPrecision) {
  EXPECT_EQ(display(integer(8, 4)), "integer(8, 4)");
  EXPECT_EQ(display({"fixed", {{"width", whole(9)}}}), "fixed(9, 4)");
  EXPECT_EQ(display({"integer", {{"width", whole(8)}, {"is_signed", false}}}),
            "integer(8, 4, is_signed=False)");
  EXPECT_EQ(display({"float", {}}), "float");
  EXPECT_EQ(display({"block_fp", {{"width", whole(7)}, {"block_size", Ints{1, 16}}}}),
            "block_fp(7, 8, 127, (1, 16))");
  EXPECT_EQ(class_name("Linear", integer(8, 4)), "LinearInteger");
  EXPECT_EQ(class_name("Conv2d", {"minifloat_ieee", {}}), "Conv2dMinifloatIEEE");
  EXPECT_EQ(class_name("add", {"log", {}}), "add_log");
  EXPECT_EQ(class_name("Linear", {"float", {}}), "Linear");
}

TEST(FormatConfig, DerivesWhatIsNotGiven) {
  EXPECT_EQ(complete({"integer", {{"width", whole(9)}, {"frac_width", std::string("NA")}}}).value(),
            (NumberFormat{"integer",
                          {{"width", whole(9)}, {"frac_width", whole(4)}, {"is_signed", true}}}));
  const NumberFormat log = complete({"log", {{"width", whole(8)}}}).value();
  EXPECT_EQ(log.config.at("exponent_bias"), whole(63));
  const NumberFormat binary = complete({"binary", {{"bipolar", whole(0)}}}).value();
  EXPECT_EQ(binary.config.at("bipolar"), Attr(false));
  EXPECT_EQ(binary.config.at("scaled"), Attr(true));
}

TEST(FormatConfig, ErrorsNameTheKeyAndWhatItTakes) {
  EXPECT_EQ(error_of({"integer", {{"widht", whole(8)}}}),
            "error: format 'integer' has no key 'widht'\n"
            "  hint: did you mean 'width'? integer takes width, frac_width, is_signed\n");
  EXPECT_EQ(error_of({"integer", {}}),
            "error: format 'integer' needs the key 'width'\n"
            "  hint: width is a whole number from 1 to 32: bits of a value\n");
  EXPECT_EQ(error_of({"integer", {{"width", whole(0)}}}),
            "error: format 'integer': width = 0\n"
            "  hint: width is a whole number from 1 to 32: bits of a value\n");
  EXPECT_EQ(error_of({"integer", {{"width", std::string("wide")}}}),
            "error: format 'integer': width = \"wide\"\n"
            "  hint: width is a whole number from 1 to 32: bits of a value\n");
  EXPECT_EQ(error_of({"minifloat_ieee", {{"width", whole(4)}, {"exponent_width", whole(4)}}}),
            "error: width = 4 and exponent_width = 4 leave -1 bits for the mantissa\n"
            "  hint: width is at least exponent_width + 2 (one bit is the sign), and at most "
            "exponent_width + 23\n");
  EXPECT_EQ(error_of({"mxint", {{"width", whole(8)}, {"block_dim", whole(2)}}}, {3, 4}),
            "error: block_dim = 2 does not fit the shape [3, 4]\n  hint: use -2 to 1\n");
  EXPECT_EQ(
      error_of({"block_log",
                {{"width", whole(8)}, {"exponent_bias_width", whole(4)}, {"block_size", Ints{0}}}}),
      "error: block_size = [0]\n"
      "  hint: a block holds at least one value; -1 stands for the whole dimension\n");
  EXPECT_EQ(error_of({"lsq_integer",
                      {{"width", whole(4)}, {"step", std::vector<double>{0.1, 0.2, 0.3}}}}),
            "error: format 'lsq_integer': 3 values of step for 1 groups\n"
            "  hint: give one, or one per group; the shape is [4]\n");
  EXPECT_EQ(error_of({"ternary", {{"mean", 1.0}, {"max", 2.0}}}),
            "error: format 'ternary': more than one of mean, median and max is given\n"
            "  hint: the threshold is 0.75 · mean, the median, or 0.05 · max: give one\n");
}

TEST(FormatBits, CountWhatIsShared) {
  EXPECT_EQ(total_bits(integer(8, 4), {3, 5}).value(), 120);
  EXPECT_EQ(total_bits({"float", {}}, {3, 5}).value(), 480);
  const NumberFormat block{"block_fp", {{"width", whole(7)}, {"block_size", Ints{1, 16}}}};
  EXPECT_EQ(total_bits(block, {2, 32}).value(), 2 * 32 * 7 + 4 * 8);
  EXPECT_EQ(total_bits(block, {2, 33}).value(), 2 * 33 * 7 + 6 * 8);  // a short last block
  EXPECT_EQ(
      total_bits({"mxfp", {{"exponent_width", whole(4)}, {"frac_width", whole(3)}}}, {64}).value(),
      64 * 8 + 2 * 8);
  EXPECT_EQ(total_bits({"scale_integer", {{"width", whole(4)}}}, {3, 10}).value(), 120 + 96);
  EXPECT_EQ(total_bits({"binary", {}}, {3, 10}).value(), 30);
}

TEST(FormatBlocks, FollowTheReferenceSystemsRules) {
  const auto grid = [](const Shape& shape, Ints block, bool skip) {
    return Tiles::blocks(shape, block, skip).grid();
  };
  EXPECT_EQ(grid({24}, {16}, false), (Shape{2}));
  EXPECT_EQ(grid({24}, {16}, true), (Shape{2}));         // a vector has no rows to skip
  EXPECT_EQ(grid({4, 32}, {16}, false), (Shape{1, 2}));  // all rows share
  EXPECT_EQ(grid({4, 32}, {1, 16}, false), (Shape{4, 2}));
  EXPECT_EQ(grid({4, 32}, {16}, true), (Shape{4, 2}));
  EXPECT_EQ(grid({2, 4, 8}, {2, 4}, true), (Shape{2, 2, 2}));
  EXPECT_EQ(grid({2, 4, 8}, {4}, true), (Shape{2, 1, 2}));
  EXPECT_EQ(grid({2, 3, 4, 8}, {4}, true), (Shape{2, 3, 1, 2}));
  EXPECT_EQ(grid({2, 3, 4, 8}, {100, -1}, false), (Shape{1, 1, 1, 1}));
}

TEST(FormatGradients, PassStraightThroughOrInsideOneOnly) {
  const std::vector<float> x = {-2, -0.5F, 0, 1, 300};
  const std::vector<float> dy = {1, 2, 3, 4, 5};
  std::vector<float> dx(5);
  Quantiser straight = Quantiser::make(integer(8, 4), {5}).value();
  straight.gradient(x.data(), dy.data(), dx.data());
  EXPECT_EQ(dx, dy) << "also outside the range";
  Quantiser clipped = Quantiser::make({"binary_residual", {}}, {5}).value();
  clipped.gradient(x.data(), dy.data(), dx.data());
  EXPECT_EQ(dx, (std::vector<float>{0, 2, 3, 4, 0}));
}

TEST(FormatGradients, LearnAStepPerGroup) {
  // width 3: codes -4 .. 3; steps 1 and 0.5, one per row.
  const NumberFormat lsq{"lsq_integer",
                         {{"width", whole(3)}, {"granularity", std::string("channel")}}};
  Quantiser q = Quantiser::make(lsq, {2, 3}).value();
  ASSERT_EQ(q.learned_size(), 2);
  const std::vector<float> x = {1.25F, -9, 7, 0.75F, 0.1F, -0.6F};
  const std::vector<float> dy = {1, 2, 3, 4, 5, 6};
  const std::vector<float> steps = {1, 0.5F};
  std::vector<float> y(6);
  q.run(x.data(), y.data(), {.learned = steps});
  EXPECT_EQ(y, (std::vector<float>{1, -4, 3, 1, 0, -0.5F}));
  std::vector<float> dx(6);
  std::vector<float> ds(2);
  q.gradient(x.data(), dy.data(), dx.data(), steps, ds);
  EXPECT_EQ(dx, (std::vector<float>{1, 0, 0, 4, 5, 6}));
  EXPECT_FLOAT_EQ(ds[0], static_cast<float>((-0.25 * 1 - 4 * 2 + 3 * 3) / 3.0));
  EXPECT_FLOAT_EQ(ds[1], static_cast<float>((0.5 * 4 - 0.2 * 5 + 0.2 * 6) / 3.0));
  const std::vector<float> start = q.initial(x.data());
  EXPECT_FLOAT_EQ(start[0], static_cast<float>(2 * (17.25 / 3) / std::sqrt(3.0)));
}

TEST(FormatBinary, DrawsFromTheStreamOfSeedAndStep) {
  const std::vector<float> x(10000, 0.5F);
  const NumberFormat stochastic{"binary", {{"stochastic", true}}};
  const Shape shape = {10000};
  const std::vector<float> a = quantised(stochastic, shape, x, {.seed = 1, .step = 2});
  EXPECT_EQ(a, quantised(stochastic, shape, x, {.seed = 1, .step = 2}));
  EXPECT_NE(a, quantised(stochastic, shape, x, {.seed = 1, .step = 3}));
  double sum = 0;
  for (const float v : a) sum += v;
  EXPECT_NEAR(sum / 10000, 0.5, 0.03);  // P(+1) = 3/4
  EXPECT_EQ(quantised(stochastic, shape, std::vector<float>(10000, 1.0F))[7], 1.0F);
}

}  // namespace
}  // namespace chop
