// The zoo: counts derived by hand, names as in PyTorch, mistakes that are explained.
#include <gtest/gtest.h>

#include <map>

#include "models/registry.hpp"
#include "ops/core/infer.hpp"

namespace chop {
namespace {

std::vector<std::string> node_names(const Graph& graph) {
  std::vector<std::string> names;
  for (const NodeId id : graph.order()) names.push_back(graph.node(id).name);
  return names;
}

std::int64_t count(std::string_view name, Shape shape, std::int64_t classes) {
  const Result<Graph> graph =
      build_model(name, {.sample_shape = std::move(shape), .num_classes = classes});
  EXPECT_TRUE(graph) << to_string(graph.error());
  return graph ? graph.value().parameter_count() : -1;
}

constexpr std::int64_t fc(std::int64_t in, std::int64_t out) {
  return in * out + out;
}
constexpr std::int64_t bn(std::int64_t channels) {
  return 2 * channels;
}
constexpr std::int64_t conv(std::int64_t in, std::int64_t out, std::int64_t taps = 9) {
  return in * out * taps;
}

TEST(Zoo, CountsAgreeWithTheArithmeticOfTheirLayers) {
  const std::map<std::string_view, std::int64_t> by_hand = {
      {"jsc-tiny", bn(16) + fc(16, 5)},
      {"jsc-toy", bn(16) + fc(16, 8) + bn(8) + fc(8, 8) + bn(8) + fc(8, 5) + bn(5)},
      {"jsc-s", bn(16) + fc(16, 64) + bn(64) + fc(64, 32) + 2 * fc(32, 32) + fc(32, 5) + bn(5)},
      {"jsc-trt", bn(16) + fc(16, 32) + bn(32) + fc(32, 48) + bn(48) + fc(48, 16) + bn(16) +
                      fc(16, 5) + bn(5)},
      {"jsc-tiny-x10", bn(16) + fc(16, 40) + bn(40) + fc(40, 25) + bn(25) + fc(25, 5)},
      {"jsc-deep", bn(16) + fc(16, 64) + bn(64) + fc(64, 128) + bn(128) + fc(128, 8) + bn(8) +
                       fc(8, 8) + bn(8) + fc(8, 5) + bn(5)},
      {"jsc-three-linear", bn(16) + 2 * fc(16, 16) + fc(16, 5)},
      {"toy", fc(4, 8) + fc(8, 8) + fc(8, 2)},
      {"toy_convnet", conv(3, 8) + 8 + conv(8, 16) + 16 + conv(16, 32, 3) + 32 + conv(32, 64, 3) +
                          64 + fc(64, 10)},
      {"lfc", fc(784, 256) + 3 * fc(256, 256) + 4 * bn(256) + fc(256, 10)},
      {"cnv", conv(3, 64) + conv(64, 64) + conv(64, 128) + conv(128, 128) + conv(128, 256) +
                  conv(256, 256) + 2 * (bn(64) + bn(128) + bn(256)) + 256 * 512 + 512 * 512 +
                  512 * 10 + 2 * bn(512) + bn(10)},
      {"vgg7", conv(3, 128) + conv(128, 128) + conv(128, 256) + conv(256, 256) + conv(256, 512) +
                   conv(512, 512) + 2 * (128 + 256 + 512) + 2 * (bn(128) + bn(256) + bn(512)) +
                   fc(8192, 1024) + fc(1024, 1024) + fc(1024, 10)},
      {"resnet18", 11'689'512},
      {"mobilenetv2", 3'504'872},
  };
  for (const auto& [name, parameters] : by_hand) {
    const Result<const ModelDef*> model = find_model(name);
    ASSERT_TRUE(model) << name;
    EXPECT_EQ(model.value()->parameters, parameters) << name;
  }
}

TEST(Zoo, FollowsTheDataItIsGiven) {
  EXPECT_EQ(count("toy", {1, 28, 28}, 10), 6442);
  EXPECT_EQ(count("toy_convnet", {1, 28, 28}, 10), 9818 - 2 * 8 * 9);
  EXPECT_EQ(count("jsc-tiny", {10}, 3), bn(10) + fc(10, 3));
  EXPECT_EQ(count("resnet18", {3, 32, 32}, 10), 11'181'642);
  EXPECT_EQ(count("mobilenetv2", {3, 32, 32}, 10), 2'236'682);
}

TEST(Zoo, NamesNodesAsTorchFxNamesThoseOfTheReferenceSystem) {
  EXPECT_EQ(node_names(build_model("jsc-tiny", {}).value()),
            (std::vector<std::string>{"x", "seq_blocks_0", "seq_blocks_1", "seq_blocks_2",
                                      "seq_blocks_3", "output"}));
  EXPECT_EQ(node_names(build_model("toy", {}).value()),
            (std::vector<std::string>{"x", "flatten", "seq_blocks_0", "seq_blocks_1",
                                      "seq_blocks_2", "seq_blocks_3", "seq_blocks_4", "output"}));
  const Graph jsc_s = build_model("jsc-s", {}).value();
  EXPECT_TRUE(jsc_s.find("module_list_13"));
  EXPECT_EQ(jsc_s.node(*jsc_s.find("module_list_2")).target, "module_list.2");
}

TEST(Zoo, RectifiersOfTheJetModelsAreInPlace) {
  for (const ModelDef& model : all_models()) {
    if (!model.name.starts_with("jsc")) continue;
    const Graph graph = build_model(model.name, {}).value();
    for (const NodeId id : graph.order())
      if (graph.node(id).op == "relu") {
        EXPECT_EQ(graph.node(id).attrs.at("inplace"), Attr(true)) << model.name;
      }
  }
}

TEST(Zoo, ResidualSumsAreFunctionsAndSharedRectifiersAreNumbered) {
  const Graph graph = build_model("resnet18", {}).value();
  ASSERT_TRUE(graph.find("add"));
  EXPECT_TRUE(graph.find("add_7"));
  EXPECT_FALSE(graph.find("add_8"));
  EXPECT_EQ(graph.node(*graph.find("add")).opcode, Opcode::CallFunction);
  EXPECT_TRUE(graph.find("layer4_1_relu"));
  ASSERT_TRUE(graph.find("layer4_1_relu_1"));
  EXPECT_EQ(graph.node(*graph.find("layer4_1_relu_1")).target, "layer4.1.relu");
  EXPECT_TRUE(graph.find("flatten"));
  const Graph mobile = build_model("mobilenetv2", {}).value();
  EXPECT_TRUE(mobile.find("add_9"));
  EXPECT_FALSE(mobile.find("add_10"));
  EXPECT_TRUE(mobile.find("features_18_2"));
}

TEST(Zoo, SuggestsTheNearestName) {
  const Error error = find_model("jsc-tinny").error();
  EXPECT_EQ(error.what, "unknown model 'jsc-tinny'");
  EXPECT_EQ(error.hint, cat("did you mean 'jsc-tiny'? `ch models` lists all ", all_models().size(),
                            "; the path of a .toml file with a [model] table works too"));
}

TEST(Zoo, ExplainsDataThatDoesNotFit) {
  const Error rank = build_model("jsc-tiny", {.sample_shape = {1, 28, 28}}).error();
  EXPECT_EQ(rank.what, "model 'jsc-tiny' takes samples of rank 1, the data's are [1, 28, 28]");
  EXPECT_EQ(rank.hint, "it is meant for samples like [16] (jsc)");
  EXPECT_FALSE(build_model("jsc-tiny", {.sample_shape = {0}}));
  EXPECT_FALSE(build_model("jsc-tiny", {.num_classes = -1}));
  EXPECT_EQ(build_model("toy_convnet", {.sample_shape = {3, 3, 3}}).error().what,
            "pictures of 3×3 pixels are too small to be halved twice");
  const Error small = build_model("cnv", {.sample_shape = {3, 8, 8}}).error();
  EXPECT_EQ(small.notes.back(), "building model 'cnv' for samples of shape [3, 8, 8]");
  const Error large = build_model("jsc-tiny", {.sample_shape = {std::int64_t{1} << 40}}).error();
  EXPECT_EQ(large.what, "input 'x' has the shape [-1, 1099511627776]");
  const Error many = build_model("jsc-tiny", {.num_classes = std::int64_t{1} << 40}).error();
  EXPECT_EQ(many.what, "parameter 'seq_blocks.2.weight' would have the shape [1099511627776, 16]");
  EXPECT_FALSE(build_model("toy", {.sample_shape = {1 << 30, 1 << 30, 1 << 30}}));
}

}  // namespace
}  // namespace chop
