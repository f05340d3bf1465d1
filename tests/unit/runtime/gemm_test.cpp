// Products of every shape and layout against sums in double; packed, shared out, with bias and
// clamp.
#include "runtime/gemm/gemm.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "support/noise.hpp"

namespace chop {
namespace {

using test::noise;

struct Layouts {
  bool a_turned, b_turned;
};

Gemm product(std::int64_t m, std::int64_t n, std::int64_t k, Layouts layouts, bool relu) {
  Gemm g{.m = m, .n = n, .k = k, .c_row = n, .relu = relu};
  g.a_row = layouts.a_turned ? 1 : k;
  g.a_col = layouts.a_turned ? m : 1;
  g.b_row = layouts.b_turned ? 1 : n;
  g.b_col = layouts.b_turned ? k : 1;
  return g;
}

std::vector<float> run(const Gemm& g, const std::vector<float>& a, const std::vector<float>& b,
                       const float* bias, int threads) {
  std::vector<float> c(static_cast<std::size_t>(g.m * g.n), 7.0F);
  std::vector<float> scratch(g.scratch());
  g.run(a.data(), b.data(), bias, c.data(), scratch.data(), threads);
  return c;
}

void check(const Gemm& g, const std::vector<float>& a, const std::vector<float>& b,
           const float* bias, const std::vector<float>& c) {
  for (std::int64_t i = 0; i < g.m; ++i)
    for (std::int64_t j = 0; j < g.n; ++j) {
      double sum = bias == nullptr ? 0 : bias[j];
      double size = std::fabs(sum);
      for (std::int64_t k = 0; k < g.k; ++k) {
        const double term =
            static_cast<double>(a[static_cast<std::size_t>(i * g.a_row + k * g.a_col)]) *
            b[static_cast<std::size_t>(k * g.b_row + j * g.b_col)];
        sum += term;
        size += std::fabs(term);
      }
      if (g.relu && sum < 0) sum = 0;
      ASSERT_NEAR(c[static_cast<std::size_t>(i * g.n + j)], sum, 1e-6 * size + 1e-7)
          << "m " << g.m << " n " << g.n << " k " << g.k << " at " << i << ", " << j;
    }
}

TEST(Gemm, OfSmallWeightsIsOursAtEveryBatchSize) {
  const Layouts plain{false, false};
  for (const std::int64_t rows : {256, 1024, 2048, 100'000}) {
    EXPECT_FALSE(product(rows, 128, 64, plain, false).is_large()) << rows;
    EXPECT_FALSE(product(rows, 64, 128, plain, false).is_large()) << rows;
    EXPECT_FALSE(product(64, 128, rows, {true, false}, false).is_large()) << rows;
  }
  EXPECT_TRUE(product(256, 256, 256, plain, false).is_large());
  EXPECT_EQ(product(256, 256, 256, plain, false).backend(), "onednn");
}

TEST(Gemm, OfEveryShapeAndLayoutIsTheSumInDouble) {
  for (const std::int64_t m : {1, 2, 3, 5, 7, 16, 17, 40})
    for (const std::int64_t n : {1, 5, 8, 15, 16, 17, 33, 50, 64, 65, 130})
      for (const std::int64_t k : {1, 3, 16, 37, 256})
        for (const Layouts layouts :
             {Layouts{false, false}, Layouts{true, false}, Layouts{false, true}}) {
          const Gemm g = product(m, n, k, layouts, (m + n) % 2 == 0);
          const std::vector<float> a = noise(m * k, "a");
          const std::vector<float> b = noise(k * n, "b");
          const std::vector<float> bias = noise(n, "bias");
          const float* add = k % 2 == 0 ? nullptr : bias.data();
          const std::vector<float> c = run(g, a, b, add, 1);
          check(g, a, b, add, c);
          std::vector<float> again(c.size());
          g.run_packed(a.data(), b.data(), g.pack(b.data()).get(), add, again.data(), 2);
          ASSERT_EQ(std::memcmp(c.data(), again.data(), c.size() * sizeof(float)), 0)
              << "packed, m " << m << " n " << n << " k " << k;
        }
}

TEST(Gemm, SharedOutHasTheSameBits) {
  for (const auto& [m, n, k] : std::vector<std::array<std::int64_t, 3>>{
           {4096, 31, 64}, {1, 1000, 512}, {2, 3000, 130}, {512, 256, 128}}) {
    const Gemm g = product(m, n, k, {false, true}, false);
    const std::vector<float> a = noise(m * k, "a");
    const std::vector<float> b = noise(k * n, "b");
    const std::vector<float> one = run(g, a, b, nullptr, 1);
    const std::vector<float> three = run(g, a, b, nullptr, 3);
    EXPECT_EQ(std::memcmp(one.data(), three.data(), one.size() * sizeof(float)), 0);
    const auto packed = g.pack(b.data());
    std::vector<float> c(one.size());
    for (const int threads : {1, 3}) {
      g.run_packed(a.data(), b.data(), packed.get(), nullptr, c.data(), threads);
      EXPECT_EQ(std::memcmp(one.data(), c.data(), one.size() * sizeof(float)), 0);
    }
  }
}

TEST(Gemm, InPartsHasTheSameBits) {
  for (const auto& [m, n, k] : std::vector<std::array<std::int64_t, 3>>{{256, 64, 16},
                                                                        {256, 32, 64},
                                                                        {64, 16, 256},
                                                                        {5, 32, 256},
                                                                        {256, 5, 32},
                                                                        {3, 2, 1},
                                                                        {1, 130, 40}})
    for (const Layouts layouts :
         {Layouts{false, false}, Layouts{true, false}, Layouts{false, true}}) {
      const Gemm g = product(m, n, k, layouts, false);
      const std::vector<float> a = noise(m * k, "a");
      const std::vector<float> b = noise(k * n, "b");
      const std::vector<float> whole = run(g, a, b, nullptr, 1);
      for (const int parts : {1, 2, 3, 7}) {
        std::vector<float> c(whole.size(), 7.0F);
        for (int part = 0; part < parts; ++part)
          g.run_part(a.data(), b.data(), c.data(), part, parts);
        EXPECT_EQ(std::memcmp(whole.data(), c.data(), c.size() * sizeof(float)), 0)
            << "m " << m << " n " << n << " k " << k << " in " << parts;
      }
    }
}

TEST(Gemm, NarrowAndHighHasTheBitsOfAnotherLayout) {
  for (const std::int64_t m : {31, 32, 33, 64, 65, 127, 130})
    for (const std::int64_t n : {1, 3, 4, 5, 8, 15, 16, 17})
      for (const std::int64_t k : {0, 1, 31, 256, 2050}) {
        const Gemm columns = product(m, n, k, {true, false}, false);
        const Gemm rows = product(m, n, k, {false, false}, false);
        std::vector<float> a = noise(m * k, "a");
        if (k == 31) a[7] = std::numeric_limits<float>::infinity();
        const std::vector<float> b = noise(k * n, "b");
        std::vector<float> turned(a.size());
        for (std::int64_t i = 0; i < m; ++i)
          for (std::int64_t j = 0; j < k; ++j)
            turned[static_cast<std::size_t>(j * m + i)] = a[static_cast<std::size_t>(i * k + j)];
        const std::vector<float> expected = run(rows, a, b, nullptr, 1);
        const std::vector<float> c = run(columns, turned, b, nullptr, 1);
        ASSERT_EQ(std::memcmp(expected.data(), c.data(), c.size() * sizeof(float)), 0)
            << "m " << m << " n " << n << " k " << k;
      }
}

TEST(Gemm, OfOneRowHasTheBitsOfARowAmongMany) {
  for (const std::int64_t n : {1, 16, 31, 64, 100, 256, 300, 520})
    for (const std::int64_t k : {1, 16, 31}) {
      Gemm g = product(40, n, k, {false, true}, true);
      const std::vector<float> a = noise(40 * k, "a");
      const std::vector<float> b = noise(k * n, "b");
      const std::vector<float> bias = noise(n, "bias");
      const std::vector<float> all = run(g, a, b, bias.data(), 1);
      g.m = 1;
      std::vector<float> c(static_cast<std::size_t>(n), 7.0F);
      g.run_packed(a.data(), b.data(), g.pack(b.data()).get(), bias.data(), c.data(), 1);
      EXPECT_EQ(std::memcmp(all.data(), c.data(), c.size() * sizeof(float)), 0)
          << "n " << n << " k " << k;
    }
}

TEST(Gemm, NoTermsLeaveTheBias) {
  const Gemm g = product(3, 5, 0, {false, false}, false);
  const std::vector<float> bias = {1, 2, 3, 4, 5};
  const std::vector<float> c = run(g, {}, {}, bias.data(), 1);
  for (std::size_t i = 0; i < c.size(); ++i) EXPECT_EQ(c[i], bias[i % 5]);
}

TEST(Gemm, NaNIsNotClampedAway) {
  const Gemm g = product(1, 1, 2, {false, false}, true);
  const std::vector<float> c =
      run(g, {std::numeric_limits<float>::quiet_NaN(), 1}, {1, 1}, nullptr, 1);
  EXPECT_TRUE(std::isnan(c[0]));
}

}  // namespace
}  // namespace chop
