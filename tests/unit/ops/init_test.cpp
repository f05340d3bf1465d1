// Initial values: the declared distributions, and streams that depend on nothing but the
// seed and the parameter's own name.
#include "ops/core/init.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "ops/core/builder.hpp"
#include "ops/core/registry.hpp"

namespace chop {
namespace {

struct Moments {
  double mean = 0;
  double deviation = 0;
  double largest = 0;
};

Moments moments(const Tensor& tensor) {
  Moments m;
  const auto data = tensor.data<float>();
  for (const float v : data) {
    m.mean += v;
    m.largest = std::max(m.largest, std::abs(static_cast<double>(v)));
  }
  m.mean /= static_cast<double>(data.size());
  for (const float v : data) m.deviation += (v - m.mean) * (v - m.mean);
  m.deviation = std::sqrt(m.deviation / static_cast<double>(data.size()));
  return m;
}

Graph two_layers(std::uint64_t seed, std::int64_t width) {
  GraphBuilder b("net", seed);
  Value x = b.input("x", {-1, 16});
  x = b.module("linear", "a", {x}, {{"in_features", 16}, {"out_features", width}});
  x = b.module("linear", "b", {x}, {{"in_features", width}, {"out_features", 5}});
  return std::move(b).finish({x}).value();
}

TEST(Init, UniformFillsTheWholeIntervalEvenly) {
  Tensor t(DType::F32, {200'000});
  fill(t, InitKind::Uniform, 0.25, init_stream(0, "w"));
  const Moments m = moments(t);
  EXPECT_LE(m.largest, 0.25);
  EXPECT_GT(m.largest, 0.2499);
  EXPECT_NEAR(m.mean, 0, 0.25 * 5 / std::sqrt(200'000.0));
  EXPECT_NEAR(m.deviation, 0.25 / std::sqrt(3.0), 0.001);
}

TEST(Init, NormalHasTheDeviationAsked) {
  Tensor t(DType::F32, {200'001});
  fill(t, InitKind::Normal, 0.01, init_stream(0, "w"));
  const Moments m = moments(t);
  EXPECT_NEAR(m.mean, 0, 0.01 * 5 / std::sqrt(200'000.0));
  EXPECT_NEAR(m.deviation, 0.01, 0.0001);
  const auto data = t.data<float>();
  const auto inside =
      std::count_if(data.begin(), data.end(), [](float v) { return std::abs(v) < 0.01F; });
  EXPECT_NEAR(static_cast<double>(inside) / 200'001, 0.6827, 0.005);
}

TEST(Init, ZerosAndOnesOverwriteWhatWasThere) {
  Tensor t = Tensor::full({3}, 7);
  fill(t, InitKind::Ones, 0, init_stream(0, "w"));
  EXPECT_EQ(t, Tensor::full({3}, 1));
  fill(t, InitKind::Zeros, 5, init_stream(0, "w"));
  EXPECT_EQ(t, Tensor::full({3}, 0));
  Tensor empty(DType::F32, {0});
  fill(empty, InitKind::Normal, 1, init_stream(0, "w"));
  EXPECT_EQ(empty.size(), 0);
}

TEST(Init, LargeTensorsHoldTheNumbersOfTheirStreamInOrder) {
  Tensor t(DType::F32, {150'000});
  const Stream stream = init_stream(3, "w");
  fill(t, InitKind::Normal, 2, stream);
  for (const std::size_t i : {0U, 1U, 65'535U, 65'536U, 131'072U, 149'999U})
    EXPECT_EQ(t.data<float>()[i], static_cast<float>(stream.normal(i) * 2)) << i;
}

TEST(Init, AParameterDependsOnTheSeedAndItsOwnNameOnly) {
  const Graph narrow = two_layers(1, 8);
  const Graph wide = two_layers(1, 9);
  const Graph other = two_layers(2, 8);
  EXPECT_EQ(narrow.find_parameter("b.bias")->value.shape(), (Shape{5}));
  const auto a = narrow.find_parameter("a.weight")->value.data<float>();
  const auto b = wide.find_parameter("a.weight")->value.data<float>();
  EXPECT_TRUE(std::equal(a.begin(), a.end(), b.begin()));
  EXPECT_NE(narrow.find_parameter("a.weight")->value, other.find_parameter("a.weight")->value);
  EXPECT_NE(narrow.find_parameter("a.weight")->value.at(0),
            narrow.find_parameter("b.weight")->value.at(0));
}

}  // namespace
}  // namespace chop
