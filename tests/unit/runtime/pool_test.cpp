// Pooling of batches without an image: what a kernel works out for each position is not needed.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include "compile/compile.hpp"
#include "support/call_op.hpp"

namespace chop::test {
namespace {

constexpr std::int64_t kWidth = std::int64_t{1} << 24;

/// The most memory this process has had, in KB.
long peak_memory() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

TEST(Pooling, OfNoImagesTakesNoMemoryHoweverWideTheyAre) {
  const std::vector<std::pair<std::string, Attrs>> calls = {
      {"max_pool1d", {{"kernel_size", Ints{kWidth / 2}}, {"stride", Ints{1}}}},
      {"avg_pool1d", {{"kernel_size", Ints{3}}, {"stride", Ints{1}}}},
      {"adaptive_avg_pool1d", {{"output_size", Ints{kWidth}}}}};
  for (const auto& [op, attrs] : calls) {
    const long before = peak_memory();
    Compiled compiled =
        compile_graph(call_graph(op, {zeros({0, 2, kWidth})}, attrs), {.batch = 0}).value();
    EXPECT_TRUE(compiled.plan.run()) << op;
    EXPECT_LT(peak_memory() - before, 100'000) << op;
  }
}

}  // namespace
}  // namespace chop::test
