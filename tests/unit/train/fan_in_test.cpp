// Linear layers whose neurons read few of their inputs: the mask is drawn by the seed and stays, in
// training, in files, and behind every number format.
#include <gtest/gtest.h>

#include <set>

#include "compile/run_graph.hpp"
#include "io/load_weights.hpp"
#include "io/safetensors.hpp"
#include "ops/core/init.hpp"
#include "support/rng.hpp"
#include "train/trainer.hpp"
#include "unit/io/temp_folder.hpp"
#include "unit/train/networks.hpp"

namespace chop {
namespace {

using testing::TempFolder;

const Tensor& value_of(const Graph& graph, const std::string& name) {
  return graph.find_parameter(name)->value;
}

/// How many weights there are where the mask has none.
std::int64_t weights_beside(const Graph& graph, const std::string& layer) {
  const auto mask = value_of(graph, layer + ".mask").data<float>();
  const auto weight = value_of(graph, layer + ".weight").data<float>();
  std::int64_t count = 0;
  for (std::size_t i = 0; i < mask.size(); ++i) count += mask[i] == 0 && weight[i] != 0 ? 1 : 0;
  return count;
}

TEST(FanIn, EveryNeuronReadsAsManyInputsAsAskedAndTheSeedDrawsWhich) {
  const Graph graph = test::sparse_network();
  std::set<std::vector<float>> rows;
  const auto mask = value_of(graph, "fc2.mask").data<float>();
  for (std::size_t row = 0; row < 2; ++row) {
    const std::vector<float> own(mask.begin() + static_cast<std::ptrdiff_t>(20 * row),
                                 mask.begin() + static_cast<std::ptrdiff_t>(20 * row + 20));
    EXPECT_EQ(std::count(own.begin(), own.end(), 1.0F), 3);
    EXPECT_EQ(std::count(own.begin(), own.end(), 0.0F), 17);
    rows.insert(own);
  }
  EXPECT_EQ(rows.size(), 2U) << "rows are drawn apart";
  EXPECT_EQ(weights_beside(graph, "fc1") + weights_beside(graph, "fc2"), 0);
  EXPECT_EQ(value_of(test::sparse_network(), "fc2.mask"), value_of(graph, "fc2.mask"));
  EXPECT_FALSE(value_of(test::sparse_network(5), "fc2.mask") == value_of(graph, "fc2.mask"));
  EXPECT_FALSE(graph.find_parameter("fc1.mask")->trainable);
}

TEST(FanIn, TrainingKeepsTheMaskAndMovesOnlyTheWeightsThatThereAre) {
  const Graph before = test::sparse_network();
  for (const std::string optimiser : {"adam", "adamw", "sgd"}) {
    const TempFolder folder;
    const TrainOptions options{.max_epochs = 2,
                               .batch_size = 16,
                               .optimiser = optimiser,
                               .settings = {.learning_rate = 0.02, .weight_decay = 0.1},
                               .checkpoints = folder.path()};
    const auto trained = train_network(before, test::toy_data(64), options, {});
    ASSERT_TRUE(trained) << to_string(trained.error());
    const Graph after = load_checkpoint(folder / "last.ckpt").value().graph;
    for (const std::string layer : {"fc1", "fc2"}) {
      EXPECT_EQ(value_of(after, layer + ".mask"), value_of(before, layer + ".mask"));
      EXPECT_EQ(weights_beside(after, layer), 0);
      EXPECT_FALSE(value_of(after, layer + ".weight") == value_of(before, layer + ".weight"));
    }
  }
}

/// One layer of 6 inputs and 5 neurons that read 2 of them.
Graph one_layer(const NumberFormat& format) {
  GraphBuilder b("layer", 2);
  Value x = b.input("x", {-1, 6});
  x = b.module("linear", "fc", {x}, {{"in_features", 6}, {"out_features", 5}, {"fan_in", 2}});
  Graph graph = std::move(b).finish({x}).value();
  for (const NodeId id : graph.order())
    if (graph.node(id).op == "linear") graph.node(id).formats["weight"] = format;
  return graph;
}

std::vector<float> results(const Graph& graph, const Tensor& x) {
  const auto outputs = compile::run_graph(graph, {{"x", x}}).value();
  const auto data = outputs[0].value.data<float>();
  return {data.begin(), data.end()};
}

TEST(FanIn, NoFormatBringsBackAnInputThatIsLeftOut) {
  const std::vector<NumberFormat> formats = {
      {"float", {}},
      {"integer", {{"width", 8}, {"frac_width", 4}}},
      {"binary", {}},
      {"log", {{"width", 6}}},
      {"block_log", {{"width", 6}, {"exponent_bias_width", 4}, {"block_size", Ints{6}}}},
      {"minifloat_ieee", {{"width", 8}, {"exponent_width", 4}}}};
  for (const NumberFormat& format : formats) {
    const Graph graph = one_layer(format);
    const auto mask = value_of(graph, "fc.mask").data<float>();
    Tensor x(DType::F32, {1, 6});
    const Stream noise(3, "x");
    for (std::size_t i = 0; i < 6; ++i) x.mutable_data<float>()[i] = noise.normal(i) > 0 ? 1 : -2;
    const std::vector<float> before = results(graph, x);
    int read = 0;
    for (std::size_t i = 0; i < 6; ++i) {
      Tensor other = x;
      other.mutable_data<float>()[i] += 3;
      const std::vector<float> after = results(graph, other);
      for (std::size_t o = 0; o < 5; ++o) {
        read += after[o] != before[o] ? 1 : 0;
        EXPECT_TRUE(after[o] == before[o] || mask[o * 6 + i] != 0)
            << format.name << ", input " << i << ", neuron " << o;
      }
    }
    EXPECT_GE(read, 5) << format.name;
  }
}

TEST(FanIn, WeightsThatAFileHasBesideTheMaskAreLeftOut) {
  const Graph graph = one_layer({});
  const TempFolder folder;
  const std::vector<float> ones(30, 1.0F);
  std::vector<float> mask(30);
  for (std::size_t o = 0; o < 5; ++o) mask[6 * o + o] = mask[6 * o + 5] = 1;
  ASSERT_TRUE(write_safetensors(
      folder / "w.safetensors",
      {.metadata = {},
       .tensors = {{"fc.weight", Tensor::of<float>({5, 6}, std::span<const float>(ones))},
                   {"fc.bias", Tensor(DType::F32, {5})},
                   {"fc.mask.mask", Tensor::of<float>({5, 6}, std::span<const float>(mask))}}}));
  Graph loaded = load_weights(graph, folder / "w.safetensors", {}).value().graph;
  const Tensor x = Tensor::of<float>({1, 6}, {1, 2, 4, 8, 16, 32});
  EXPECT_EQ(results(loaded, x), (std::vector<float>{33, 34, 36, 40, 48}));
  ops::apply_masks(loaded);
  EXPECT_EQ(value_of(loaded, "fc.weight"), value_of(loaded, "fc.mask"));
}

}  // namespace
}  // namespace chop
