// Networks written in TOML: what they become, and what is said about mistakes.
#include "models/network.hpp"

#include <gtest/gtest.h>

#include "config/toml.hpp"
#include "models/registry.hpp"
#include "ops/core/infer.hpp"
#include "support/paths.hpp"
#include "support/rng.hpp"
#include "support/system/files.hpp"
#include "support/text.hpp"

namespace chop {
namespace {

const ModelArgs kJets = {.sample_shape = {16}, .num_classes = 5};

Result<NetworkSpec> read_spec(std::string_view text) {
  CH_TRY(const Tree root, parse_toml(text, "my.toml"));
  return read_network(root, "my.toml");
}

Result<Graph> from_text(std::string_view text, const ModelArgs& args) {
  CH_TRY(const NetworkSpec network, read_spec(text));
  return build_network(network, args);
}

Graph built(std::string_view text, const ModelArgs& args = kJets) {
  Result<Graph> graph = from_text(text, args);
  EXPECT_TRUE(graph) << to_string(graph.error());
  return graph ? std::move(graph).value() : Graph();
}

std::string complaint(std::string_view text, const ModelArgs& args = kJets) {
  const Result<Graph> graph = from_text(text, args);
  EXPECT_FALSE(graph) << "accepted: " << text;
  return graph ? "" : std::string(trim(to_string(graph.error())));
}

std::string file(std::string_view name) {
  return test::source_path(cat("configs/examples/", name));
}

TEST(Network, OfBareNamesAndInlineTablesIsAModelOfTheZoo) {
  const Graph mine = built(R"(
    [model]
    name = "jsc-tiny"
    layers = [
      "batch_norm1d",
      { op = "relu", inplace = true },
      { op = "linear", out_features = "classes" },
      { op = "relu", inplace = true },
    ])");
  EXPECT_TRUE(mine == build_model("jsc-tiny", kJets).value());
}

TEST(Network, MayBeWrittenAsAnArrayOfTablesWithTorchClassNames) {
  const Graph mine = built(R"(
    model.name = "jsc-tiny"
    [[model.layers]]
    type = "BatchNorm1d"
    num_features = 16
    [[model.layers]]
    type = "ReLU"
    inplace = true
    [[model.layers]]
    type = "Linear"
    in_features = 16
    out_features = 5
    [[model.layers]]
    type = "ReLU"
    inplace = true
    )");
  EXPECT_TRUE(mine == build_model("jsc-tiny", kJets).value());
}

TEST(Network, FindsSizesFromTheShapesItReads) {
  const Graph g = built(R"(
    [model]
    layers = [
      { op = "conv2d", out_channels = 4, kernel_size = 3, padding = [1, 0] },
      "batch_norm2d", "relu",
      { op = "max_pool2d", kernel_size = 2 },
      "flatten",
      "layer_norm",
      { op = "linear", out_features = "classes", bias = false },
    ])",
                        {.sample_shape = {3, 8, 8}, .num_classes = 10});
  // 8×8 becomes 8×6 (padding 1 and 0), pooled to 4×3: 48 features.
  EXPECT_EQ(g.parameter_count(), 4 * 3 * 9 + 4 + 2 * 4 + 2 * 48 + 480);
  EXPECT_EQ(g.find_parameter("seq_blocks.6.weight")->value.shape(), (Shape{10, 48}));
}

TEST(Network, BranchesAndSumsByName) {
  const Graph g = built(R"(
    [model]
    layers = [
      { op = "linear", name = "stem", out_features = 8 },
      "relu",
      { op = "linear", name = "body.fc", out_features = 8 },
      { op = "add", name = "sum", inputs = ["stem", "previous"] },
      { op = "cat", inputs = ["sum", "x"], dim = 1 },
      { op = "linear", name = "head", out_features = "classes" },
    ])");
  EXPECT_TRUE(g.find("body_fc"));
  EXPECT_EQ(g.node(*g.find("body_fc")).target, "body.fc");
  const Node& sum = g.node(*g.find("sum"));
  EXPECT_EQ(sum.opcode, Opcode::CallFunction);
  EXPECT_EQ(sum.inputs, (std::vector<Value>{{*g.find("stem")}, {*g.find("body_fc")}}));
  EXPECT_EQ(g.node(*g.find("cat")).inputs, (std::vector<Value>{{*g.find("sum")}, {*g.find("x")}}));
  EXPECT_EQ(g.find_parameter("head.weight")->value.shape(), (Shape{5, 24}));
  EXPECT_TRUE(g.find("seq_blocks_1")) << "unnamed layers are numbered by position";
}

TEST(Network, RepeatsALayer) {
  const Graph g = built(R"(
    [model]
    layers = [
      { op = "linear", out_features = 16, repeat = 3 },
      { op = "linear", name = "more", out_features = 16, repeat = 2 },
      { op = "linear", input = "more", out_features = 5 },
    ])");
  for (const char* name : {"seq_blocks.0.weight", "seq_blocks.1.weight", "seq_blocks.2.weight",
                           "more.0.weight", "more.1.weight", "seq_blocks.5.weight"})
    EXPECT_NE(g.find_parameter(name), nullptr) << name;
  EXPECT_EQ(g.node(*g.find("seq_blocks_5")).inputs[0].node, *g.find("more_1"));
}

TEST(Network, RepeatsABlockThatMayReadItsOwnInput) {
  const Graph g = built(R"(
    [model]
    layers = [
      { name = "trunk", repeat = 3, layers = [
        { op = "linear", name = "inner", out_features = 16 },
        "relu",
        { op = "add", inputs = ["previous", "block"] },
      ] },
      { op = "linear", input = "trunk", out_features = "classes" },
    ])");
  EXPECT_EQ(g.parameter_count(), 3 * (16 * 16 + 16) + 16 * 5 + 5);
  EXPECT_NE(g.find_parameter("inner.2.weight"), nullptr);
  EXPECT_NE(g.find_parameter("seq_blocks.9.weight"), nullptr);
  const NodeId x = *g.find("x");
  const NodeId add = *g.find("add");
  EXPECT_EQ(g.node(add).inputs[1].node, x);
  EXPECT_EQ(g.node(*g.find("add_1")).inputs[1].node, add);
  EXPECT_EQ(g.node(*g.find("seq_blocks_9")).inputs[0].node, *g.find("add_2"));
}

TEST(Network, ABlockInsideARepeatedOneReadsWhatItNamesEachTime) {
  const Graph g = built(R"(
    [model]
    layers = [
      { op = "linear", name = "a", out_features = 5 },
      { repeat = 2, layers = [
        { input = "a", repeat = 2, layers = [{ op = "relu", name = "r" }] },
        { op = "add", inputs = ["previous", "block"] },
      ] },
    ])");
  const NodeId a = *g.find("a");
  for (const char* first : {"r_0_0", "r_1_0"}) {
    ASSERT_TRUE(g.find(first)) << first;
    EXPECT_EQ(g.node(*g.find(first)).inputs[0].node, a) << first;
  }
  EXPECT_EQ(g.node(*g.find("r_0_1")).inputs[0].node, *g.find("r_0_0"));
  EXPECT_EQ(g.node(*g.find("add_1")).inputs,
            (std::vector<Value>{{*g.find("r_1_1")}, {*g.find("add")}}));
}

TEST(Network, TakesInputAndClassesFromTheFileOrTheData) {
  constexpr std::string_view kText = R"(
    [model]
    input = [16]
    classes = 5
    layers = [{ op = "linear", out_features = "classes" }])";
  EXPECT_EQ(built(kText, {}).parameter_count(), 85);
  EXPECT_EQ(built(kText).parameter_count(), 85);
  EXPECT_EQ(complaint(kText, {.sample_shape = {3}}),
            "error: network 'network' is written for samples of shape [16], the data's are [3]\n"
            "  note: my.toml\n"
            "  hint: leave input out of [model] to take the data set's shape");
  EXPECT_EQ(complaint(kText, {.num_classes = 10}),
            "error: network 'network' is written for 5 classes, the data has 10\n"
            "  note: my.toml\n"
            "  hint: leave classes out of [model] to take the data set's number");
  EXPECT_EQ(complaint("model.layers = [\"relu\"]", {}),
            "error: the input shape of network 'network' is not known\n"
            "  note: my.toml\n"
            "  hint: write input = [16] in [model], or name a data set");
  // Without a number of classes (regression, say) any output goes.
  EXPECT_EQ(built("model.input = 3\nmodel.layers = [\"relu\"]", {}).parameter_count(), 0);
}

TEST(Network, LeavesTheRestOfTheFileToOthers) {
  const NetworkSpec network = read_spec(R"(
    dataset = "jsc"
    batch_size = 256
    [model]
    name = "mine"
    input = [16]
    layers = ["relu"]
    [passes.quantize]
    by = "type")")
                                  .value();
  EXPECT_EQ(network.name, "mine");
  EXPECT_EQ(network.input, (Shape{16}));
  EXPECT_EQ(network.classes, std::nullopt);
  EXPECT_EQ(network.layers.size(), 1U);
}

TEST(Network, MistakesNameTheLayerTheKeyAndTheLine) {
  EXPECT_EQ(
      complaint("[model]\nlayers = [\n  \"relu\",\n  { op = \"linear\", out_feature = 5 },\n]"),
      "error: linear has no attribute 'out_feature'\n"
      "  note: in layer 'seq_blocks.1'\n"
      "  note: layer 2 (my.toml:4)\n"
      "  hint: did you mean 'out_features'? linear takes in_features, out_features, bias, fan_in");
  EXPECT_EQ(complaint("[model]\nlayers = [\n  \"rellu\",\n]"),
            "error: unknown op 'rellu'\n"
            "  note: layer 1 (my.toml:3)\n"
            "  hint: did you mean 'relu'? `ch ops` lists all");
  EXPECT_EQ(complaint("[model]\nlayers = [{ op = \"linear\", out_features = 2.5 }]"),
            "error: 2.5 is a number, expected a whole number\n"
            "  note: attribute 'out_features' of linear\n"
            "  note: in layer 'seq_blocks.0'\n"
            "  note: layer 1 (my.toml:2)");
  EXPECT_EQ(complaint("[model]\nlayer = [\"relu\"]"),
            "error: unknown key 'layer' in [model]\n"
            "  note: my.toml:2\n"
            "  hint: did you mean 'layers'? the keys are name, input, classes, layers");
  EXPECT_EQ(complaint("[model]\nlayers = [\"relu\"]\n"),
            "error: the network ends with [16] per sample, but there are 5 classes\n"
            "  note: layer 1 (my.toml:2)\n"
            "  hint: let the last linear layer have out_features = \"classes\"");
  EXPECT_EQ(complaint("[model]\nlayers = [{ op = \"add\", inputs = [\"a\", \"previous\"] }]"),
            "error: no earlier layer is called 'a'\n"
            "  note: layer 1 (my.toml:2)\n"
            "  hint: known here are x, previous and block");
  EXPECT_EQ(complaint("[model]\nlayers = [{ op = \"matmul\" }]"),
            "error: matmul needs 2 inputs, it has 1\n"
            "  note: layer 1 (my.toml:2)\n"
            "  hint: inputs = [\"previous\", \"a\"] reads the layer before and layer a");
  EXPECT_EQ(complaint("[model]\nlayers = [\n{ op = \"relu\", name = \"a\" },\n"
                      "{ op = \"relu\", name = \"a\" }]"),
            "error: two layers are called 'a'\n"
            "  note: the first is layer 1 (my.toml:3)\n"
            "  note: layer 2 (my.toml:4)\n"
            "  hint: give one of them another name");
  EXPECT_EQ(complaint("[model]\nlayers = [{ layers = [\n\"relu\",\n{ name = \"a\" }] }]"),
            "error: layer 1.2 does not say which op it is\n"
            "  note: layer 1.2 (my.toml:4)\n"
            "  note: layer 1 (my.toml:2)\n"
            "  hint: add op = \"linear\", \"conv2d\", \"relu\" ...; `ch ops` lists all");
}

TEST(Network, SaysWhatIsWrongWithAValue) {
  const auto starts = [](std::string_view text, std::string_view start) {
    const std::string found = complaint(text) + "\n";
    EXPECT_TRUE(found.starts_with(cat("error: ", start, "\n"))) << found;
  };
  starts("x = [",
         "'my.toml' is not valid TOML: Error while parsing array: encountered end-of-file");
  starts("seed = 1", "my.toml has no [model] table");
  starts("model = \"jsc-tiny\"", "my.toml:1: model = \"jsc-tiny\" names a model");
  starts("model = 3", "model = 3 is not a table with the network's layers");
  starts("[model]\nname = \"a\"", "[model] has no layers");
  starts("[model]\nlayers = []", "layers = a list is not a list of at least one layer");
  starts("[model]\nlayers = [3]", "layer 1 = 3 is not a layer");
  starts("[model]\ninput = [0]\nlayers = [\"relu\"]",
         "input = 0 is not a whole number of at least 1");
  starts("[model]\nclasses = 2.0\nlayers = [\"relu\"]",
         "classes = 2.0 is not a whole number of at least 1");
  starts("[model]\nlayers = [{ op = \"relu\", repeat = 0 }]",
         "repeat = 0 is not a whole number of at least 1");
  starts("[model]\nlayers = [{ op = \"relu\", repeat = 10001 }]",
         "the network has more than 10,000 layers");
  starts("[model]\nlayers = [{ op = \"relu\", name = \"a b\" }]", "name = \"a b\" is not a name");
  starts("[model]\nlayers = [{ op = \"relu\", name = \"x\" }]", "a layer cannot be called 'x'");
  starts("[model]\nlayers = [{ op = \"relu\", type = \"relu\" }]",
         "op and type say the same thing twice");
  starts("[model]\nlayers = [{ op = \"relu\", input = \"x\", inputs = [\"x\"] }]",
         "input and inputs cannot both be given");
  starts("[model]\nlayers = [{ op = \"relu\", inplace = 1979-05-27 }]",
         "\"1979-05-27\" is a text, expected true or false");
  starts("[model]\nlayers = [{ op = \"linear\", out_features = [\"a\"] }]",
         "out_features = \"a\" is not a number");
  starts("[model]\nlayers = [{ op = \"dropout\", training = true }]",
         "a network does not set `training`");
  starts("[model]\nlayers = [{ op = \"linear_grad\" }]", "unknown op 'linear_grad'");
  starts("[model]\nlayers = [{ op = \"linear\", out_features = 99999999999999 }]",
         "out_features = 99999999999999 is too large");
  starts("[model]\nlayers = [{ op = \"relu\", layers = [\"relu\"] }]",
         "unknown key 'op' in a block of layers");
}

// Every answer is a network or an error, whatever one byte turns into.
TEST(Network, SurvivesBrokenText) {
  const std::string whole = read_file(file("residual.toml")).value();
  const std::string text = whole.substr(whole.find("[model]"));
  const Stream random(0, "broken text");
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::string changed = text;
    changed[i] = static_cast<char>(random.bits(i) & 0xFF);
    const Result<NetworkSpec> one = read_spec(changed);
    EXPECT_TRUE(!one || !one.value().layers.empty());
    const Result<NetworkSpec> cut = read_spec(std::string_view(text).substr(0, i));
    EXPECT_TRUE(cut || !cut.error().what.empty());
  }
}

TEST(Network, TheExamplesBuild) {
  const Graph mine = build_model(file("my_network.toml"), kJets).value();
  EXPECT_NEAR(static_cast<double>(mine.parameter_count()), 1170, 30) << "ten times jsc-tiny";
  const Graph residual = build_model(file("residual.toml"), kJets).value();
  EXPECT_GT(residual.parameter_count(), 0);
  const Types types = infer_types(residual, 7).value();
  EXPECT_EQ(type_of(types, residual.outputs()[0]).shape, (Shape{7, 5}));
  EXPECT_FALSE(build_model("no/such/file.toml", kJets));
}

}  // namespace
}  // namespace chop
