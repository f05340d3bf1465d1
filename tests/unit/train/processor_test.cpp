// Which plans have bits that depend on the processor, and what checkpoints say of it.
#include <gtest/gtest.h>

#include "support/system/simd_level.hpp"
#include "train/program.hpp"
#include "train/trainer.hpp"
#include "unit/io/temp_folder.hpp"
#include "unit/train/networks.hpp"

namespace chop {
namespace {

bool training_depends(const Graph& graph, std::int64_t batch) {
  ParameterStore store = ParameterStore::from(graph).value();
  return Program::training(graph, store, batch, 1).value().plan().depends_on_processor();
}

TEST(Processor, DoesNotMatterToTheJetFamilyWhateverTheBatch) {
  for (const ModelDef& def : all_models()) {
    if (!def.name.starts_with("jsc")) continue;
    const Graph graph = build_model(std::string(def.name), {}).value();
    for (const std::int64_t batch : {2, 256, 1024, 5000}) {
      EXPECT_FALSE(training_depends(graph, batch)) << def.name << ", batch of " << batch;
      const Program evaluation = Program::evaluation(graph, batch, 1).value();
      EXPECT_FALSE(evaluation.plan().depends_on_processor()) << def.name << ", batch of " << batch;
    }
  }
}

TEST(Processor, MattersWhereOneDnnSums) {
  EXPECT_TRUE(training_depends(test::conv_network(), 8));
  EXPECT_TRUE(
      Program::evaluation(test::conv_network(), 8, 1).value().plan().depends_on_processor());
  const Graph wide = test::linear_network({256}, 256, std::vector<float>(256 * 256, 0.5F));
  EXPECT_TRUE(training_depends(wide, 256));
  EXPECT_FALSE(training_depends(wide, 1));
}

/// What the checkpoints of a short training say, by file.
std::vector<std::string> recorded_levels(const Graph& graph) {
  const testing::TempFolder folder;
  const TrainOptions options{.max_epochs = 1, .batch_size = 16, .checkpoints = folder.path()};
  EXPECT_TRUE(train_network(graph, test::toy_data(70), options, {}));
  std::vector<std::string> levels;
  for (const char* file : {"last.ckpt", "best.ckpt"}) {
    const Checkpoint saved = load_checkpoint(folder / file).value();
    const auto found = saved.info.find("chop.simd");
    levels.push_back(found == saved.info.end() ? "" : found->second);
  }
  return levels;
}

TEST(Processor, IsNamedInCheckpointsWhereItMatters) {
  for (const std::string& level : recorded_levels(test::conv_network()))
    EXPECT_EQ(level, name_of(simd_level()));
  const bool fused = has_fused_arithmetic(simd_level());
  for (const std::string& level : recorded_levels(test::toy_network()))
    EXPECT_EQ(level, fused ? "" : name_of(simd_level()));
}

}  // namespace
}  // namespace chop
