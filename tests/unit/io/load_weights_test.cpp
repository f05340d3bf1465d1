// Weights from files of others into a network: names, prefixes, dtypes, what is left over.
#include "io/load_weights.hpp"

#include <gtest/gtest.h>

#include "io/safetensors.hpp"
#include "unit/io/temp_folder.hpp"
#include "unit/io/torch_builder.hpp"

namespace chop {
namespace {

using testing::TempFolder;

Graph network(const std::string& prefix = "") {
  Graph graph("net");
  graph.add_parameter({.name = prefix + "fc.weight", .value = Tensor(DType::F32, {2, 2})});
  graph.add_parameter({.name = prefix + "fc.bias", .value = Tensor(DType::F32, {2})});
  return graph;
}

SafetensorsFile weights(const std::string& prefix = "") {
  return {.metadata = {},
          .tensors = {{prefix + "fc.weight", Tensor::of<float>({2, 2}, {1, 2, 3, 4})},
                      {prefix + "fc.bias", Tensor::of<float>({2}, {5, 6})}}};
}

Result<LoadedWeights> load(const Graph& graph, const SafetensorsFile& file,
                           const LoadOptions& options = {}) {
  const TempFolder folder;
  EXPECT_TRUE(write_safetensors(folder / "w.safetensors", file));
  return load_weights(graph, folder / "w.safetensors", options);
}

TEST(LoadWeights, PrefixesOfWrappersAreLeftOutUnlessTheNetworkHasThem) {
  for (const std::string in_file : {"", "model.", "module.", "module.model.", "_orig_mod."}) {
    const auto loaded = load(network(), weights(in_file));
    ASSERT_TRUE(loaded) << in_file << to_string(loaded.error());
    EXPECT_EQ(loaded.value().graph.parameters()[1].value, Tensor::of<float>({2}, {5, 6}));
  }
  EXPECT_TRUE(load(network("model."), weights("model.")));
}

TEST(LoadWeights, PrefixesThatPyTorchFilesLostComeBackForNetworksThatHaveThem) {
  const TempFolder folder;
  const auto tensor = [](long long offset, std::vector<long long> shape,
                         std::vector<long long> strides) {
    return testing::pickled(testing::PickledTensor{
        .elements = 6, .offset = offset, .shape = std::move(shape), .strides = std::move(strides)});
  };
  folder.write(
      "w.pt",
      testing::torch_zip(testing::pickled_dict({{"model.fc.weight", tensor(0, {2, 2}, {2, 1})},
                                                {"model.fc.bias", tensor(4, {2}, {1})}}),
                         {testing::stored("archive/data/0", testing::floats({1, 2, 3, 4, 5, 6}))}));
  for (const std::string prefix : {"", "model."}) {
    const auto loaded = load_weights(network(prefix), folder / "w.pt");
    ASSERT_TRUE(loaded) << to_string(loaded.error());
    EXPECT_EQ(loaded.value().type, LoadType::Pt);
    EXPECT_EQ(loaded.value().graph.parameters()[1].value, Tensor::of<float>({2}, {5, 6}));
  }
}

TEST(LoadWeights, AMaskThatIsAModuleWithOneParameterIsTaken) {
  Graph graph = network();
  graph.add_parameter({.name = "fc.mask", .value = Tensor(DType::F32, {2, 2})});
  SafetensorsFile file = weights();
  file.tensors.emplace_back("fc.mask.mask", Tensor::of<float>({2, 2}, {1, 0, 0, 1}));
  const auto loaded = load(graph, file);
  ASSERT_TRUE(loaded) << to_string(loaded.error());
  EXPECT_EQ(loaded.value().graph.find_parameter("fc.mask")->value,
            Tensor::of<float>({2, 2}, {1, 0, 0, 1}));
}

TEST(LoadWeights, RealNumbersOfOtherWidthsAreConverted) {
  for (const DType dtype : {DType::F16, DType::BF16, DType::F64}) {
    SafetensorsFile file = weights();
    for (auto& [name, tensor] : file.tensors) tensor = tensor.to(dtype);
    const auto loaded = load(network(), file);
    ASSERT_TRUE(loaded) << to_string(loaded.error());
    EXPECT_EQ(loaded.value().graph.parameters()[0].value, Tensor::of<float>({2, 2}, {1, 2, 3, 4}));
  }
  SafetensorsFile whole = weights();
  whole.tensors[1].second = whole.tensors[1].second.to(DType::I64);
  const auto refused = load(network(), whole);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().notes, std::vector<std::string>{"fc.bias is i64[2], expected f32[2]"});
}

TEST(LoadWeights, NumBatchesTrackedMayBeMissing) {
  SafetensorsFile file = weights();
  file.tensors.emplace_back("bn.num_batches_tracked", Tensor::scalar(3, DType::I64));
  EXPECT_TRUE(load(network(), file));
}

TEST(LoadWeights, PartialTakesWhatFitsAndSaysWhatDoesNot) {
  SafetensorsFile file = weights();
  file.tensors[0].second = Tensor(DType::F32, {3, 2});
  file.tensors.emplace_back("extra", Tensor(DType::F32, {1}));
  const auto refused = load(network(), file);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().what.find("are not those of 'net': 1 of another shape, 1 unexpected"),
            std::string::npos);
  const auto loaded = load(network(), file, {.partial = true});
  ASSERT_TRUE(loaded) << to_string(loaded.error());
  EXPECT_EQ(loaded.value().graph.parameters()[0].value, Tensor(DType::F32, {2, 2}));
  EXPECT_EQ(loaded.value().graph.parameters()[1].value, Tensor::of<float>({2}, {5, 6}));
  EXPECT_EQ(loaded.value().notes,
            (std::vector<std::string>{"took 1 of 2 tensors; not taken: 1 of another shape, "
                                      "1 unexpected",
                                      "fc.weight is f32[3, 2], expected f32[2, 2]",
                                      "unexpected: extra"}));
  EXPECT_FALSE(load(network(), {.metadata = {}, .tensors = {}}, {.partial = true}));
}

TEST(LoadWeights, LongListsEndInACount) {
  SafetensorsFile file = weights();
  for (int i = 0; i < 30; ++i) file.tensors.emplace_back(cat("x", i), Tensor(DType::F32, {1}));
  const auto refused = load(network(), file);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().notes.size(), 11U);
  EXPECT_EQ(refused.error().notes.back(), "and 20 more unexpected");
}

TEST(WeightsFile, TheContentSaysWhatAFileIs) {
  const TempFolder folder;
  ASSERT_TRUE(write_safetensors(folder / "a.pt", weights()));
  const auto file = read_weights_file(folder / "a.pt");
  ASSERT_TRUE(file);
  EXPECT_EQ(file.value().type, LoadType::Safetensors);
  EXPECT_EQ(file.value().tensors[1].read().value(), Tensor::of<float>({2}, {5, 6}));
  const auto wrong = read_weights_file(folder / "a.pt", LoadType::Mz);
  ASSERT_FALSE(wrong);
  EXPECT_NE(wrong.error().what.find("is a safetensors file, not a checkpoint of ours"),
            std::string::npos);
  EXPECT_FALSE(read_weights_file(folder / "a.pt", LoadType::Pt));
  EXPECT_FALSE(read_weights_file(folder / "a.pt", LoadType::Onnx));
  EXPECT_FALSE(read_weights_file(folder.write("text", "hello there, all of you")));
  EXPECT_FALSE(read_weights_file(folder.write("empty", "")));
  EXPECT_FALSE(read_weights_file(folder / "nowhere"));
}

}  // namespace
}  // namespace chop
