// Training steps whose kernels and optimiser are shared among threads: no bit changes.
#include <gtest/gtest.h>

#include <cstring>

#include "ops/core/builder.hpp"
#include "support/noise.hpp"
#include "support/system/threads.hpp"
#include "train/optimiser.hpp"
#include "train/program.hpp"

namespace chop {
namespace {

/// Linear layers with and without batch norms and relus, of widths that are no multiples of
/// vectors.
Graph network(std::int64_t width, std::int64_t next) {
  GraphBuilder b("net", 1);
  Value x = b.input("x", {-1, 16});
  x = b.module("batch_norm1d", "norm0", {x}, {{"num_features", 16}});
  x = b.module("linear", "fc1", {x}, {{"in_features", 16}, {"out_features", width}});
  x = b.module("batch_norm1d", "norm1", {x}, {{"num_features", width}});
  x = b.module("relu", "act1", {x});
  x = b.module("linear", "fc2", {x}, {{"in_features", width}, {"out_features", next}});
  x = b.module("relu", "act2", {x});
  x = b.module("linear", "fc3", {x}, {{"in_features", next}, {"out_features", 5}});
  return std::move(b).finish({x}).value();
}

/// The parameters after a few steps.
std::vector<float> trained(const Graph& graph, std::int64_t batch, std::string_view optimiser,
                           int threads) {
  ParameterStore store = ParameterStore::from(graph).value();
  Program program = Program::training(graph, store, batch, threads).value();
  const std::vector<float> x = test::noise(batch * 16, "x");
  std::ranges::copy(x, program.inputs().begin());
  for (std::size_t i = 0; i < program.targets().size(); ++i)
    program.targets()[i] = static_cast<std::int64_t>(i % 5);
  const OptimiserDef& def = *find_optimiser(optimiser).value();
  const OptimiserSettings settings{.weight_decay = 0.01};
  std::vector<std::vector<float>> slots(def.slots.size(),
                                        std::vector<float>(store.values().size()));
  OptimiserStep step{.values = store.values(),
                     .gradients = store.gradients(),
                     .slots = {slots.begin(), slots.end()},
                     .learning_rate = 1e-2,
                     .settings = settings,
                     .threads = threads};
  for (step.number = 1; step.number <= 12; ++step.number) {
    EXPECT_TRUE(program.run());
    def.step(step);
  }
  return {store.values().begin(), store.values().end()};
}

TEST(SharedStep, IsATeamsWhereAllStepsCanBe) {
  ParameterStore store = ParameterStore::from(network(64, 32)).value();
  const auto team = [&](std::int64_t batch, int threads) {
    return Program::training(network(64, 32), store, batch, threads).value().plan().team();
  };
  EXPECT_EQ(team(256, 1), 1);
  EXPECT_EQ(team(256, 2), 2);
  EXPECT_EQ(team(256, 8), 2) << "a block of 128 rows for each";
  EXPECT_EQ(team(1000, 8), 8);
  EXPECT_EQ(team(128, 2), 1);
  EXPECT_EQ(team(256 + 31, 2), 1) << "so short a block would be added up in another order";
}

TEST(SharedStep, HasTheBitsOfOneThread) {
  set_sharing(Sharing::Always);
  for (const auto& [width, next] :
       {std::pair<std::int64_t, std::int64_t>{8, 8}, {64, 32}, {70, 33}, {128, 100}})
    for (const std::int64_t batch : {64, 256, 356, 1000})
      for (const std::string_view optimiser : {"adam", "sgd"}) {
        const Graph graph = network(width, next);
        const std::vector<float> one = trained(graph, batch, optimiser, 1);
        for (const int threads : {2, 3, 5}) {
          const std::vector<float> shared = trained(graph, batch, optimiser, threads);
          EXPECT_EQ(std::memcmp(one.data(), shared.data(), one.size() * sizeof(float)), 0)
              << width << " " << next << " batch " << batch << " threads " << threads;
        }
      }
  set_sharing(Sharing::WhereItPays);
}

}  // namespace
}  // namespace chop
