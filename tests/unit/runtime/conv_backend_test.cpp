// Every registered backend of frozen convolutions against sums in double (floats) or int32 (bytes),
// whichever of them a plan would choose; how their tiles cover the output; who gets a job.
#include "runtime/conv/frozen/conv_backend.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>

#include "runtime/conv/frozen/backends/amx/amx_unit.hpp"
#include "runtime/conv/frozen/frozen_conv.hpp"
#include "runtime/onednn.hpp"
#include "support/conv_shapes.hpp"
#include "support/noise.hpp"
#include "support/rng.hpp"

namespace chop {
namespace {

using test::noise;

/// Positive: bytes up to 127, as a relu leaves them in a signed format.
enum class Numbers { Floats, Signed, Unsigned, Positive };

/// A job and the images, with their channels last.
struct Problem {
  ConvJob job;
  std::vector<float> weights;
  std::vector<std::byte> images;

  double image(std::int64_t at) const {
    if (!job.grid) {
      float value = 0;
      std::memcpy(&value, images.data() + at * 4, 4);
      return value;
    }
    const std::byte value = images[static_cast<std::size_t>(at)];
    return job.is_signed() ? static_cast<std::int8_t>(value) : static_cast<int>(value);
  }
};

/// Floats near one, or bytes of all values of their kind.
Problem problem(const ops::ConvShape& shape, Numbers numbers, std::uint64_t seed = 0) {
  Problem p;
  p.job.shape = shape;
  p.job.exact = false;
  const std::int64_t pixels = shape.batch * shape.window.in.area() * shape.in_channels;
  const std::int64_t weights = shape.out_channels * shape.group_in() * shape.window.kernel.area();
  if (numbers == Numbers::Floats) {
    p.weights = noise(weights, "weights");
    p.job.bias = noise(shape.out_channels, "bias");
    const std::vector<float> x = noise(pixels, "images");
    p.images.resize(x.size() * sizeof(float));
    std::memcpy(p.images.data(), x.data(), p.images.size());
  } else {
    const Stream die(seed, "bytes");
    std::uint64_t n = 0;
    p.job.grid = Grid{};
    p.job.grid->low = numbers == Numbers::Signed ? -128 : 0;
    p.job.grid->high = numbers == Numbers::Unsigned ? 255 : 127;
    p.job.weight_grid = Grid{};
    for (std::int64_t i = 0; i < pixels; ++i)
      p.images.push_back(
          static_cast<std::byte>(die.below(n++, numbers == Numbers::Positive ? 128 : 256)));
    for (std::int64_t i = 0; i < weights; ++i)
      p.weights.push_back(static_cast<float>(die.below(n++, 256)) - 128);
  }
  p.job.weights = p.weights.data();
  return p;
}

/// All accumulators [image, position, channel], tile by tile, as doubles. Memory that no tile
/// writes holds a value that no accumulator has.
std::vector<double> run_all(TiledConv& conv, const Problem& p) {
  const ops::ConvShape& c = p.job.shape;
  const ops::Extent& out = c.window.out;
  std::vector<double> all(static_cast<std::size_t>(c.batch * out.area() * c.out_channels), 1e300);
  for (std::size_t i = 0; i < conv.tiles().size(); ++i) {
    const ConvTile& tile = conv.tiles()[i];
    std::vector<std::int32_t> acc(
        static_cast<std::size_t>(tile.images * tile.rows * out.w * tile.channels));
    std::vector<std::byte> scratch(conv.scratch_bytes(i) + 64, std::byte{0xA5});
    conv.run(i, p.images.data(), reinterpret_cast<std::byte*>(acc.data()), scratch.data());
    const std::int32_t* from = acc.data();
    for (std::int64_t n = tile.image; n < tile.image + tile.images; ++n)
      for (std::int64_t at = tile.row * out.w; at < (tile.row + tile.rows) * out.w; ++at)
        for (std::int64_t o = tile.channel; o < tile.channel + tile.channels; ++o, ++from) {
          float value = 0;
          std::memcpy(&value, from, sizeof value);
          all[static_cast<std::size_t>((n * out.area() + at) * c.out_channels + o)] =
              p.job.grid ? static_cast<double>(*from) : value;
        }
  }
  return all;
}

/// The same, one product after the other.
std::vector<double> reference(const Problem& p) {
  const ops::ConvShape& c = p.job.shape;
  const ops::Window& w = c.window;
  std::vector<double> all;
  std::vector<double> images(static_cast<std::size_t>(c.batch * w.in.area() * c.in_channels));
  for (std::size_t i = 0; i < images.size(); ++i) images[i] = p.image(static_cast<std::int64_t>(i));
  for (std::int64_t n = 0; n < c.batch; ++n)
    for (std::int64_t at = 0; at < w.out.area(); ++at)
      for (std::int64_t o = 0; o < c.out_channels; ++o) {
        double sum = p.job.bias.empty() ? 0 : p.job.bias[static_cast<std::size_t>(o)];
        const std::int64_t group = o / c.group_out() * c.group_in();
        for (std::int64_t k = 0; k < w.kernel.area(); ++k) {
          const std::int64_t y = w.row(at / w.out.w, k / w.kernel.w);
          const std::int64_t x = w.column(at % w.out.w, k % w.kernel.w);
          if (!w.contains(0, y, x)) continue;
          const std::int64_t pixel = (n * w.in.area() + w.at(0, y, x)) * c.in_channels + group;
          for (std::int64_t i = 0; i < c.group_in(); ++i)
            sum += images[static_cast<std::size_t>(pixel + i)] *
                   static_cast<double>(p.weights[static_cast<std::size_t>(
                       (o * c.group_in() + i) * w.kernel.area() + k)]);
        }
        all.push_back(sum);
      }
  return all;
}

/// Runs a backend if it takes the job; returns whether it did. Bytes must be exact. Products of
/// floats have a size near one, so partial sums grow as the root of their number, and so do the
/// roundings of each: together they grow as the number.
bool check(const ConvBackend& backend, const Problem& p, const std::vector<double>& expected) {
  if (!backend.declines(p.job).empty()) return false;
  const std::unique_ptr<TiledConv> conv = backend.make(p.job);
  if (conv == nullptr) {
    ADD_FAILURE() << backend.name << " took a job it cannot do";
    return false;
  }
  const ops::ConvShape& c = p.job.shape;
  const auto products = static_cast<double>(c.group_in() * c.window.kernel.area());
  const double slack = p.job.grid ? 0 : 4e-7 * products + 2e-6;
  const std::vector<double> got = run_all(*conv, p);
  for (std::size_t i = 0; i < got.size(); ++i)
    if (!(std::abs(got[i] - expected[i]) <= slack)) {
      ADD_FAILURE() << backend.name << ": accumulator " << i << " is " << got[i] << ", not "
                    << expected[i];
      break;
    }
  return true;
}

class ConvBackends : public testing::TestWithParam<Numbers> {};
std::string name_of(const testing::TestParamInfo<Numbers>& info) {
  constexpr const char* kNames[] = {"Floats", "Signed", "Unsigned", "Positive"};
  return kNames[static_cast<int>(info.param)];
}
INSTANTIATE_TEST_SUITE_P(Numbers, ConvBackends,
                         testing::Values(Numbers::Floats, Numbers::Signed, Numbers::Unsigned,
                                         Numbers::Positive),
                         name_of);

TEST_P(ConvBackends, AllComputeTheReferenceForShapesOfEveryKind) {
  std::set<std::string_view> used;
  std::uint64_t seed = 0;
  for (const ops::ConvShape& shape : small_convs()) {
    SCOPED_TRACE(testing::Message() << "shape " << seed);
    const Problem p = problem(shape, GetParam(), seed++);
    const std::vector<double> expected = reference(p);
    for (const ConvBackend& backend : all_conv_backends())
      if (check(backend, p, expected)) used.insert(backend.name);
  }
  const bool bytes = GetParam() != Numbers::Floats;
  std::set<std::string_view> able = {bytes ? "pairs" : "winograd"};
  if (!bytes || onednn_has_exact_bytes()) able.insert("onednn");
  if (bytes && has_amx()) able.insert("amx");
  EXPECT_TRUE(std::ranges::includes(used, able));
}

TEST_P(ConvBackends, AllComputeTheReferenceForRandomShapes) {
  for (std::uint64_t number = 0; number < 60; ++number) {
    SCOPED_TRACE(testing::Message() << "random_conv(" << number << ")");
    const Problem p = problem(random_conv(number), GetParam(), number);
    const std::vector<double> expected = reference(p);
    int takers = 0;
    for (const ConvBackend& backend : all_conv_backends())
      takers += check(backend, p, expected) ? 1 : 0;
    // Grouped convolutions of bytes stay in float where oneDNN's would saturate.
    const bool may_be_none = p.job.grid && p.job.shape.groups > 1 && !onednn_has_exact_bytes();
    EXPECT_GE(takers, may_be_none ? 0 : 1);
  }
}

std::vector<ops::ConvShape> large_convs() {
  return {square_conv(1, 3, 64, 224, 7, 2),      square_conv(1, 64, 64, 56, 3, 1),
          square_conv(16, 512, 512, 7, 3, 1),    square_conv(1, 512, 512, 7, 3, 1),
          square_conv(5, 1, 8, 28, 5, 1),        square_conv(300, 4, 4, 3, 1, 1),
          square_conv(2, 96, 96, 112, 3, 2, 96), square_conv(1, 1280, 1000, 1, 1, 1),
          square_conv(1, 1, 1, 1, 1, 1),         square_conv(3, 256, 513, 14, 3, 2),
          square_conv(9, 64, 128, 15, 3, 1)};
}

TEST_P(ConvBackends, EveryOutputBelongsToOneTile) {
  for (const ops::ConvShape& shape : large_convs()) {
    const Problem p = problem(shape, GetParam());
    for (const ConvBackend& backend : all_conv_backends()) {
      if (!backend.declines(p.job).empty()) continue;
      const std::int64_t rows = shape.window.out.h;
      std::vector<int> owners(static_cast<std::size_t>(shape.batch * rows * shape.out_channels));
      const std::unique_ptr<TiledConv> conv = backend.make(p.job);
      for (const ConvTile& tile : conv->tiles())
        for (std::int64_t n = tile.image; n < tile.image + tile.images; ++n)
          for (std::int64_t r = tile.row; r < tile.row + tile.rows; ++r)
            for (std::int64_t c = tile.channel; c < tile.channel + tile.channels; ++c)
              ++owners[static_cast<std::size_t>((n * rows + r) * shape.out_channels + c)];
      EXPECT_TRUE(std::ranges::all_of(owners, [](int count) { return count == 1; }))
          << backend.name;
    }
  }
}

TEST_P(ConvBackends, CutOneLargeImageIntoWorkForSeveralThreads) {
  for (const ops::ConvShape& shape :
       {square_conv(1, 64, 64, 56, 3, 1), square_conv(1, 512, 512, 14, 3, 1)}) {
    const Problem p = problem(shape, GetParam());
    for (const ConvBackend& backend : all_conv_backends())
      if (backend.declines(p.job).empty()) {
        EXPECT_GE(backend.make(p.job)->tiles().size(), 4U) << backend.name;
      }
  }
}

TEST(ConvBackend, NamesAreUniqueAndEachHasADocumentation) {
  std::set<std::string_view> names;
  for (const ConvBackend& backend : all_conv_backends()) {
    EXPECT_TRUE(names.insert(backend.name).second) << backend.name;
    EXPECT_FALSE(backend.doc.empty()) << backend.name;
    EXPECT_EQ(find_conv_backend(backend.name), &backend);
  }
  EXPECT_EQ(find_conv_backend("nosuch"), nullptr);
}

TEST(ConvBackend, SaysWhyItDeclines) {
  const auto why = [](std::string_view name, const ops::ConvShape& shape, Numbers numbers,
                      bool exact = false) {
    ConvJob job{.shape = shape, .exact = exact};
    if (numbers != Numbers::Floats) job.grid = Grid{};
    return find_conv_backend(name)->declines(job);
  };
  const ops::ConvShape good = square_conv(1, 64, 64, 56, 3, 1);
  constexpr Numbers kFloats = Numbers::Floats;
  EXPECT_EQ(why("winograd", good, kFloats), "");
  EXPECT_EQ(why("winograd", good, Numbers::Signed), "bytes");
  EXPECT_EQ(why("winograd", good, kFloats, true),
            "the graph has number formats, which would show other roundings");
  EXPECT_EQ(why("winograd", square_conv(1, 64, 64, 56, 5, 1), kFloats), "the window is not 3 x 3");
  EXPECT_EQ(why("winograd", square_conv(1, 64, 64, 56, 3, 2), kFloats),
            "stride or dilation is not one");
  EXPECT_EQ(why("winograd", over_images(good, {56, 56}, {2, 2, 0}, {2, 2, 1}), kFloats),
            "stride or dilation is not one");
  EXPECT_EQ(why("winograd", square_conv(1, 64, 64, 56, 3, 1, 2), kFloats), "several groups");
  EXPECT_EQ(why("winograd", square_conv(1, 3, 64, 56, 3, 1), kFloats),
            "channels are no multiple of 16");
  EXPECT_EQ(why("winograd", square_conv(1, 16, 64, 56, 3, 1), kFloats), "few channels");
  EXPECT_EQ(why("winograd", square_conv(1, 512, 512, 7, 3, 1), kFloats), "few positions");
  EXPECT_EQ(why("amx", good, kFloats), "floats");
  EXPECT_EQ(why("amx", square_conv(1, 8, 8, 5, 3, 1, 2), Numbers::Signed), "several groups");
  EXPECT_EQ(why("amx", square_conv(1, 32, 192, 28, 1, 1), Numbers::Signed), "few inputs to a sum");
  EXPECT_EQ(why("amx", square_conv(1, 64, 384, 14, 1, 1), Numbers::Signed),
            has_amx() ? "" : "the processor has no AMX, or it is not allowed");
  EXPECT_EQ(why("pairs", good, kFloats), "floats");
  EXPECT_EQ(why("pairs", square_conv(1, 8, 8, 5, 3, 1, 2), Numbers::Signed), "several groups");
  EXPECT_EQ(why("onednn", good, kFloats), "");
  EXPECT_EQ(why("onednn", good, Numbers::Signed),
            onednn_has_exact_bytes() ? "" : "its sums of bytes would saturate without VNNI");
  EXPECT_EQ(why("onednn", over_images(good, {56, 56}, {30, 1, 0}), kFloats),
            "some rows of the output see nothing but padding");
  EXPECT_EQ(why("onednn", over_images(good, {56, 56}, {1, 1024, 0}), kFloats), "");
  EXPECT_EQ(why("onednn", over_images(good, {56, 56}, {1, 1025, 0}), kFloats),
            "more than 1024 columns of padding");
}

TEST(ConvBackend, TheKernelNamesTheBackendThatRunsIt) {
  const auto name = [](const ops::ConvShape& shape, Numbers numbers, bool exact) {
    const Problem p = problem(shape, numbers);
    FrozenConvJob job{p.job};
    job.exact = exact;
    job.epilogue = {{.kind = EpilogueKind::Clamp, .output = 0}};
    return frozen_conv(std::move(job)).backend();
  };
  const ops::ConvShape shape = square_conv(1, 64, 64, 14, 3, 1);
  EXPECT_EQ(name(shape, Numbers::Floats, false), "winograd");
  EXPECT_EQ(name(shape, Numbers::Floats, true), "onednn");
  EXPECT_EQ(name(square_conv(1, 64, 64, 14, 1, 1), Numbers::Floats, false), "onednn");
  const std::string_view bytes = onednn_has_exact_bytes() ? "onednn" : "pairs";
  EXPECT_EQ(name(shape, Numbers::Signed, true), has_amx() ? "amx" : bytes);
}

}  // namespace
}  // namespace chop
