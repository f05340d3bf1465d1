// The loops for large tensors: groups block by block, results past the caches. All of them give
// the bits of the plain definition.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "formats/fast.hpp"
#include "formats/numbers.hpp"
#include "formats/share_table.hpp"
#include "unit/formats/format_helpers.hpp"

namespace chop {
namespace {

struct Ready {
  NumberFormat format;
  const FormatDef* def;
  Element element;
};

std::vector<Ready> ready_formats() {
  std::vector<Ready> found;
  for (const NumberFormat& format : sample_formats()) {
    const FormatDef* def = find_format(format.name).value();
    const Config config = complete_config(*def, format.config).value();
    found.push_back({format, def, def->codec.element(config)});
  }
  return found;
}

bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), 4 * a.size()) == 0;
}

/// As many values as wanted, every magnitude among them; stretches of zeros of both signs and one
/// of NaN, so that whole groups are without magnitude.
std::vector<float> mixed_values(std::size_t count) {
  const std::vector<float> nasty = nasty_values(7);
  const Stream noise(3, "mixed");
  std::vector<float> values(count);
  for (std::size_t i = 0; i < count; ++i) {
    values[i] = i % 3 == 0 ? nasty[noise.below(2 * i, nasty.size())]
                           : static_cast<float>(noise.normal(2 * i));
    if (i % 1000 < 150) values[i] = i % 2 == 0 ? 0.0F : -0.0F;
    if (i % 1000 > 900) values[i] = std::numeric_limits<float>::quiet_NaN();
  }
  return values;
}

TEST(ShareTable, SaysWhatTheDefinitionSaysAroundEveryPowerOfTwo) {
  int tables = 0;
  for (const Ready& at : ready_formats()) {
    const auto table = formats::ShareTable::make(*at.def, at.element);
    EXPECT_EQ(table.has_value(), at.def->measure == Measure::AbsMax && at.def->whole_shared)
        << display(at.format);
    if (!table) continue;
    ++tables;
    const auto check = [&](std::uint32_t bits) {
      if (bits >= 0x7F800000U) return;
      Element expected = at.element;
      at.def->share(expected, {.abs_max = std::bit_cast<float>(bits)});
      const Element& found = table->at(std::bit_cast<float>(bits)).element;
      ASSERT_EQ(found.shared, expected.shared) << display(at.format) << " at bits " << bits;
      for (const float x : {-3.0F, 1e-6F, 0.3F, 1e30F})
        ASSERT_EQ(bits_of_float(at.def->codec.quantise(x, found, 0)),
                  bits_of_float(at.def->codec.quantise(x, expected, 0)));
    };
    const Stream noise(5, "bits");
    for (std::uint32_t k = 0; k < 23; ++k)
      for (std::uint32_t u = 0; u < 200; ++u) check((1U << k) + u);
    for (std::uint32_t k = 0; k < 255; ++k) {
      for (std::uint32_t u = 0; u < 200; ++u) check((k << 23U) + u);
      for (std::uint32_t u = 1; u < 200; ++u) check((k << 23U) + (1U << 23U) - u);
      for (std::uint32_t n = 0; n < 50; ++n)
        check((k << 23U) + static_cast<std::uint32_t>(noise.below(50 * k + n, 1U << 23U)));
    }
  }
  EXPECT_GE(tables, 10);
}

TEST(Quantiser, ManyGroupsGetTheBitsOfTheDefinitionAlsoInPlace) {
  for (const Shape& shape : {Shape{20000}, Shape{130, 77}, Shape{64, 192}, Shape{5, 67, 33},
                             Shape{2, 3, 40, 50}, Shape{300, 1}}) {
    const std::vector<float> x = mixed_values(static_cast<std::size_t>(numel(shape)));
    for (const NumberFormat& format : sample_formats()) {
      SCOPED_TRACE(cat(display(format), " of ", to_string(shape)));
      const std::vector<float> y = quantised(format, shape, x);
      Quantiser q = Quantiser::make(format, shape).value();
      std::vector<float> in_place = x;
      q.run(in_place.data(), in_place.data());
      EXPECT_TRUE(same_bits(in_place, y));
    }
  }
}

TEST(FastLoops, StoresThatBypassTheCachesWriteTheSameBitsAndNothingElse) {
  const std::vector<float> x = mixed_values(2000);
  for (const Ready& at : ready_formats()) {
    if (!at.def->is_fast(at.element)) continue;
    for (const std::int64_t count : {0, 1, 15, 16, 17, 100, 1023})
      for (std::size_t start = 0; start < 20; ++start) {
        std::vector<float> through(x.size(), 5);
        std::vector<float> past(x.size(), 5);
        at.def->fast.run(at.element, {x.data() + 3, through.data() + start, count});
        at.def->fast.run(at.element,
                         {x.data() + 3, past.data() + start, count, formats::Store::PastCaches});
        ASSERT_TRUE(same_bits(through, past))
            << display(at.format) << ", " << count << " at " << start;
      }
  }
}

TEST(FastLoops, StoresOfBlocksThatBypassTheCachesWriteTheSameBits) {
  const std::vector<float> x = mixed_values(9000);
  for (const Ready& at : ready_formats()) {
    const auto table = formats::ShareTable::make(*at.def, at.element);
    if (!table || at.def->fast.run_blocks == nullptr) continue;
    for (const std::int64_t size : {1, 5, 16, 32, 1000, 3000}) {
      std::vector<float> most(x.size());
      std::vector<float> through(x.size(), 5);
      std::vector<float> past(x.size(), 5);
      const formats::Blocks blocks{.table = &*table,
                                   .plain = at.def->codec.quantise,
                                   .size = size,
                                   .abs_max = most.data(),
                                   .zeros_wait = at.def->zero_takes_least};
      EXPECT_TRUE(at.def->fast.run_blocks(blocks, {x.data(), through.data(), 8990}) ||
                  size >= 1000);
      at.def->fast.run_blocks(blocks, {x.data(), past.data(), 8990, formats::Store::PastCaches});
      EXPECT_TRUE(same_bits(through, past)) << display(at.format) << " in blocks of " << size;
    }
  }
}

/// PyTorch's order for a row: 32 sums side by side, put away level by level.
float plain_mean(const std::vector<float>& x, float threshold) {
  const auto load = [&](std::size_t i) {
    const float a = std::fabs(x[i]);
    return a > threshold && std::isfinite(a) ? a : 0.0F;
  };
  const std::size_t rows = x.size() / 32;
  std::size_t bits = 0;
  while ((std::size_t{1} << bits) < rows) ++bits;
  const std::size_t power = std::max<std::size_t>(4, bits / 4);
  float level[4][32] = {};
  std::size_t i = 0;
  while (i + (std::size_t{1} << power) <= rows) {
    for (std::size_t j = 0; j < std::size_t{1} << power; ++j, ++i)
      for (std::size_t k = 0; k < 32; ++k) level[0][k] += load(i * 32 + k);
    for (std::size_t j = 1; j < 4; ++j) {
      for (std::size_t k = 0; k < 32; ++k) level[j][k] += std::exchange(level[j - 1][k], 0.0F);
      if ((i & (((std::size_t{1} << power) - 1) << (j * power))) != 0) break;
    }
  }
  for (; i < rows; ++i)
    for (std::size_t k = 0; k < 32; ++k) level[0][k] += load(i * 32 + k);
  for (std::size_t j = 1; j < 4; ++j)
    for (std::size_t k = 0; k < 32; ++k) level[0][k] += level[j][k];
  for (i = rows * 32; i + 8 <= x.size(); i += 8)
    for (std::size_t k = 0; k < 8; ++k) level[0][k] += load(i + k);
  for (std::size_t k = 8; k < 32; ++k) level[0][k % 8] += level[0][k];
  float sum = 0;
  for (; i < x.size(); ++i) sum += load(i);
  for (std::size_t k = 0; k < 8; ++k) sum += level[0][k];
  const auto counted = std::count_if(x.begin(), x.end(), [&](float value) {
    return std::fabs(value) > threshold && std::isfinite(value);
  });
  return counted == 0 ? 0 : std::fmin(sum / static_cast<float>(counted), 3.40282347e38F);
}

TEST(AbsMean, AddsInPyTorchsOrderForEveryLength) {
  for (const std::size_t count : {8U, 9U, 31U, 32U, 100U, 511U, 512U, 513U, 5000U, 70000U, 300001U})
    for (const float threshold : {-1.0F, 0.75F, 1e30F}) {
      std::vector<float> x = mixed_values(count);
      for (float& value : x)
        if (std::fabs(value) > 1e6F && std::isfinite(value)) value = 1;
      EXPECT_EQ(bits_of_float(formats::abs_mean(x, threshold)),
                bits_of_float(plain_mean(x, threshold)))
          << count << " values above " << threshold;
    }
}

}  // namespace
}  // namespace chop
