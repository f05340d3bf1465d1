// What holds for every format: fast equals plain, codes read back, ranges are kept, NaN and
// infinity do what the rules say.
#include "formats/format_def.hpp"

#include <algorithm>

#include "unit/formats/format_helpers.hpp"

namespace chop {
namespace {

class EveryFormat : public testing::TestWithParam<NumberFormat> {
 protected:
  const NumberFormat& format() const { return GetParam(); }
  const FormatDef& def() const { return *find_format(format().name).value(); }
  static QuantiseRun key() { return {.seed = 3, .step = 5}; }
};

std::vector<Shape> shapes_for(std::int64_t count) {
  return {{count},
          {1, count},
          {count, 1},
          {count / 12, 12},
          {count / 20, 4, 5},
          {2, count / 60, 5, 6},
          {count / 120, 2, 3, 4, 5}};
}

std::vector<float> first(const std::vector<float>& values, const Shape& shape) {
  return {values.begin(), values.begin() + numel(shape)};
}

TEST_P(EveryFormat, HasFastLoopsThatEqualThePlainDefinition) {
  const std::vector<float> x = nasty_values(1);
  for (const Shape& shape : shapes_for(static_cast<std::int64_t>(x.size())))
    quantised(format(), shape, first(x, shape), key());
  quantised(format(), {}, {1.25F}, key());
  quantised(format(), {0, 3}, {}, key());
  for (std::int64_t n = 1; n < 40; ++n) quantised(format(), {n}, first(x, {n}), key());
}

/// Equal, or different only in what a code cannot hold.
bool reads_back(const FormatDef& def, float x, float q, float back) {
  if (bits_of_float(q) == bits_of_float(back)) return true;
  if (q == 0 && back == 0) return true;  // two's complement has one zero
  return def.passes_tiny && std::fabs(x) <= 1e-8F && back == 0;
}

TEST_P(EveryFormat, EncodesToWholeNumbersThatDecodeToTheQuantisedValue) {
  const std::vector<float> x = nasty_values(2, /*with_nan=*/false);
  for (const Shape& shape : shapes_for(static_cast<std::int64_t>(x.size()))) {
    const std::vector<float> part = first(x, shape);
    const std::vector<float> q = quantised(format(), shape, part, key());
    const std::vector<float> back = recoded(format(), shape, part, key());
    ASSERT_EQ(q.size(), back.size());
    for (std::size_t i = 0; i < q.size(); ++i)
      ASSERT_TRUE(reads_back(def(), part[i], q[i], back[i]))
          << exact(part[i]) << " is " << exact(q[i]) << ", its code " << exact(back[i]);
  }
}

TEST_P(EveryFormat, HasCodesThatFitItsBits) {
  const std::vector<float> x = nasty_values(3, /*with_nan=*/false);
  Result<Quantiser> q = Quantiser::make(format(), {static_cast<std::int64_t>(x.size())});
  ASSERT_TRUE(q);
  const Encoded encoded = q.value().encode(x.data(), key()).value();
  const Bits bits = bits_of(format()).value();
  for (const std::int64_t code : encoded.codes.data<std::int64_t>()) {
    EXPECT_GE(code, -(std::int64_t{1} << (bits.value - 1)));
    EXPECT_LT(code, std::int64_t{1} << bits.value);
  }
  if (encoded.shared.dtype() != DType::I64) return;
  for (const std::int64_t shared : encoded.shared.data<std::int64_t>()) {
    EXPECT_GE(shared, 0);
    EXPECT_LT(shared, std::int64_t{1} << bits.shared);
  }
}

TEST_P(EveryFormat, KeepsNanAndSaturatesInfinity) {
  if (format().is_plain()) return;
  const float inf = std::numeric_limits<float>::infinity();
  const std::vector<float> x = {1.0F, std::nanf(""), inf, -inf, 0.5F, -2.0F};
  for (const Shape& shape : {Shape{6}, Shape{2, 3}}) {
    const std::vector<float> q = quantised(format(), shape, x, key());
    for (std::size_t i = 0; i < x.size(); ++i)
      EXPECT_EQ(std::isnan(q[i]), std::isnan(x[i])) << exact(x[i]) << " at " << i;
    for (std::size_t i = 0; i < x.size(); ++i)
      EXPECT_TRUE(std::isnan(q[i]) || std::isfinite(q[i])) << exact(x[i]) << " at " << i;
  }
  Result<Quantiser> quantiser = Quantiser::make(format(), {6});
  const Result<Encoded> encoded = quantiser.value().encode(x.data());
  ASSERT_FALSE(encoded);
  EXPECT_NE(encoded.error().what.find("value 1 is NaN"), std::string::npos);
}

TEST_P(EveryFormat, StaysWithinItsRange) {
  const Range range = range_of(format()).value();
  EXPECT_LE(range.lowest, 0);
  EXPECT_LT(range.lowest, range.highest);
  if (range.relative || format().is_plain()) return;
  const std::vector<float> x = nasty_values(4, /*with_nan=*/false);
  for (const float q : quantised(format(), {static_cast<std::int64_t>(x.size())}, x, key())) {
    if (std::fabs(q) > 0 && std::fabs(q) <= 1e-8F && range.has_zero) continue;  // passed through
    EXPECT_GE(q, range.lowest);
    EXPECT_LE(q, range.highest);
    if (q > 0) {
      EXPECT_GE(q, static_cast<float>(range.least_positive));
    }
    if (!range.has_zero) {
      EXPECT_NE(q, 0);
    }
    if (range.step > 0) {
      const double steps = (static_cast<double>(q) - range.lowest) / range.step;
      EXPECT_EQ(steps, std::floor(steps)) << q;
    }
  }
}

TEST_P(EveryFormat, CanWorkInPlaceAndInPartsWhereItIsElementwise) {
  const std::vector<float> x = nasty_values(5, /*with_nan=*/false);
  const auto count = static_cast<std::int64_t>(x.size());
  Result<Quantiser> q = Quantiser::make(format(), {count});
  ASSERT_TRUE(q);
  QuantiseRun run = key();
  std::vector<float> learned;
  if (q.value().learned_size() > 0) {
    learned = q.value().initial(x.data());
    run.learned = learned;
  }
  std::vector<float> whole(x.size());
  q.value().run(x.data(), whole.data(), run);
  std::vector<float> place = x;
  q.value().run(place.data(), place.data(), run);
  EXPECT_EQ(place, whole);
  if (!q.value().is_elementwise()) return;
  std::vector<float> parts(x.size());
  for (std::int64_t at = 0, length = 1; at < count; at += length, length = length * 2 + 1)
    q.value().run_part(x.data(), parts.data(), at, std::min(length, count - at), run);
  EXPECT_EQ(parts, whole);
}

TEST_P(EveryFormat, SaysItsKeysItsFormulaAndItsPrecision) {
  EXPECT_FALSE(def().doc.empty());
  EXPECT_FALSE(precision_of(format()).value().empty());
  const NumberFormat full = complete(format()).value();
  EXPECT_EQ(complete(full).value(), full) << "a complete configuration stays as it is";
  EXPECT_EQ(display(full), display(format()));
  for (const Field& key : def().keys) EXPECT_FALSE(key.doc.empty()) << key.name;
  if (def().calibration.candidates == nullptr) return;
  const Config config = complete_config(def(), format().config).value();
  for (const double most : {0.0, 1e-30, 0.7, 1.0, 300.0, 1e30})
    for (const Attr& candidate : def().calibration.candidates(config, most)) {
      NumberFormat tried = format();
      tried.config[std::string(def().calibration.key)] = candidate;
      EXPECT_TRUE(Quantiser::make(tried, {4})) << to_text(candidate) << " for " << most;
    }
}

std::string test_name(const testing::TestParamInfo<NumberFormat>& info) {
  std::string name = cat(info.index, "_", display(info.param));
  for (char& c : name)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  return name;
}

INSTANTIATE_TEST_SUITE_P(Formats, EveryFormat, testing::ValuesIn(sample_formats()), test_name);

/// Some cannot: a mantissa of 2^m - 1 at one exponent may be an exact power of two for
/// minifloat_denorm's ceiling, block exponents and float scales move with the data.
TEST(Formats, LeaveAloneWhatTheyHaveMadeWhereTheySaySo) {
  for (const NumberFormat& format : sample_formats()) {
    if (!find_format(format.name).value()->idempotent) continue;
    const std::vector<float> x = nasty_values(6, /*with_nan=*/false);
    const std::vector<float> once = quantised(format, x);
    const std::vector<float> twice = quantised(format, once);
    for (std::size_t i = 0; i < x.size(); ++i)
      ASSERT_EQ(once[i], twice[i]) << display(format) << " of " << exact(x[i]);
  }
}

}  // namespace
}  // namespace chop
