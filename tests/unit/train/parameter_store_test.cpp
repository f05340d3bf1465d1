// The store of a network in training: where parameters lie, and how they go in and out.
#include "train/parameter_store.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <numeric>

namespace chop {
namespace {

/// Two trainable parameters of awkward sizes around a buffer.
Graph three_parameters() {
  Graph graph("three");
  graph.add_parameter({"a", Tensor::of<float>({3}, {1, 2, 3})});
  graph.add_parameter({"count", Tensor::of<std::int64_t>({1}, {7}), /*trainable=*/false});
  graph.add_parameter({"b", Tensor::full({17}, 0.5)});
  graph.add_parameter({"c", Tensor::of<float>({}, {-4})});
  return graph;
}

std::size_t address(const std::byte* memory) {
  return reinterpret_cast<std::size_t>(memory);
}

TEST(ParameterStore, KeepsTheOrderOfTheGraphAndRoundsEachSlotUpTo64Bytes) {
  ParameterStore store = ParameterStore::from(three_parameters()).value();
  EXPECT_EQ(store.trainable(), (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_EQ(store.values().size(), 16u + 32u + 16u);
  EXPECT_EQ(store.gradients().size(), store.values().size());
  const auto* start = reinterpret_cast<const std::byte*>(store.values().data());
  EXPECT_EQ(store.memory("a") - start, 0);
  EXPECT_EQ(store.memory("b") - start, 64);
  EXPECT_EQ(store.memory("c") - start, 192);
  const auto* gradients = reinterpret_cast<const std::byte*>(store.gradients().data());
  EXPECT_EQ(store.gradient_memory("b") - gradients, 64);
}

TEST(ParameterStore, AlignsEveryParameterAndGradient) {
  ParameterStore store = ParameterStore::from(three_parameters()).value();
  for (const std::string& name : store.trainable()) {
    EXPECT_EQ(address(store.memory(name)) % 64, 0u) << name;
    EXPECT_EQ(address(store.gradient_memory(name)) % 64, 0u) << name;
  }
  EXPECT_EQ(address(store.memory("count")) % 64, 0u);
}

TEST(ParameterStore, HoldsTheValuesWithZerosBetweenAndZeroGradients) {
  ParameterStore store = ParameterStore::from(three_parameters()).value();
  const auto values = store.values();
  EXPECT_EQ(values[2], 3.0F);
  EXPECT_EQ(values[3], 0.0F);
  EXPECT_EQ(values[16], 0.5F);
  EXPECT_EQ(values[32], 0.5F);
  EXPECT_EQ(values[33], 0.0F);
  EXPECT_EQ(values[48], -4.0F);
  EXPECT_TRUE(std::ranges::all_of(store.gradients(), [](float g) { return g == 0; }));
}

TEST(ParameterStore, LeavesTheGraphItCameFromAlone) {
  const Graph graph = three_parameters();
  ParameterStore store = ParameterStore::from(graph).value();
  std::ranges::fill(store.values(), 9.0F);
  const std::int64_t eight = 8;
  std::memcpy(store.memory("count"), &eight, sizeof eight);
  EXPECT_EQ(graph, three_parameters());
}

TEST(ParameterStore, WritesValuesAndBuffersIntoAGraph) {
  ParameterStore store = ParameterStore::from(three_parameters()).value();
  store.values()[1] = 20;
  store.values()[48] = 5;
  const std::int64_t eight = 8;
  std::memcpy(store.memory("count"), &eight, sizeof eight);
  Graph graph = three_parameters();
  store.write_to(graph);
  EXPECT_EQ(graph.find_parameter("a")->value, Tensor::of<float>({3}, {1, 20, 3}));
  EXPECT_EQ(graph.find_parameter("count")->value, Tensor::of<std::int64_t>({1}, {8}));
  EXPECT_EQ(graph.find_parameter("c")->value, Tensor::of<float>({}, {5}));
}

TEST(ParameterStore, WritesCopiesThatLaterStepsDoNotChange) {
  ParameterStore store = ParameterStore::from(three_parameters()).value();
  Graph graph = three_parameters();
  store.write_to(graph);
  store.values()[0] = 100;
  std::memset(store.memory("count"), 1, 8);
  EXPECT_EQ(graph, three_parameters());
}

TEST(ParameterStore, KeepsItsAddressesWhenMoved) {
  ParameterStore first = ParameterStore::from(three_parameters()).value();
  const std::byte* b = first.memory("b");
  const std::byte* gradient = first.gradient_memory("b");
  const std::byte* count = first.memory("count");
  ParameterStore second = std::move(first);
  EXPECT_EQ(second.memory("b"), b);
  EXPECT_EQ(second.gradient_memory("b"), gradient);
  EXPECT_EQ(second.memory("count"), count);
}

TEST(ParameterStore, SplitsAnArrayIntoNamedTensorsAndJoinsThemAgain) {
  const ParameterStore store = ParameterStore::from(three_parameters()).value();
  std::vector<float> state(64);
  std::iota(state.begin(), state.end(), 1.0F);
  const auto tensors = store.split(state, "optimizer/m/");
  ASSERT_EQ(tensors.size(), 3u);
  EXPECT_EQ(tensors[0].first, "optimizer/m/a");
  EXPECT_EQ(tensors[0].second, Tensor::of<float>({3}, {1, 2, 3}));
  EXPECT_EQ(tensors[1].second.shape(), (Shape{17}));
  EXPECT_EQ(tensors[1].second.at(0), 17);
  EXPECT_EQ(tensors[2].second, Tensor::of<float>({}, {49}));

  std::vector<float> again(64);
  const std::map<std::string, Tensor> named(tensors.begin(), tensors.end());
  ASSERT_TRUE(store.join(again, named, "optimizer/m/"));
  EXPECT_EQ(again[2], 3.0F);
  EXPECT_EQ(again[3], 0.0F) << "gaps are not stored";
  EXPECT_EQ(again[32], 33.0F);
  EXPECT_EQ(store.split(again, "optimizer/m/"), tensors);
}

TEST(ParameterStore, RefusesToJoinWhatIsMissingMisshapenOrOfAnotherType) {
  const ParameterStore store = ParameterStore::from(three_parameters()).value();
  std::vector<float> array(64);
  const auto list = store.split(array, "m/");
  const std::map<std::string, Tensor> good(list.begin(), list.end());
  const auto refusal = [&](const std::map<std::string, Tensor>& tensors) {
    const Status status = store.join(array, tensors, "m/");
    return status ? std::string("accepted") : status.error().what;
  };
  EXPECT_EQ(refusal(good), "accepted");
  auto bad = good;
  bad.erase("m/b");
  EXPECT_EQ(refusal(bad), "the checkpoint holds no usable 'm/b'");
  bad = good;
  bad["m/a"] = Tensor(DType::F32, {4});
  EXPECT_EQ(refusal(bad), "the checkpoint holds no usable 'm/a'");
  bad = good;
  bad["m/c"] = Tensor(DType::F64, {});
  EXPECT_EQ(refusal(bad), "the checkpoint holds no usable 'm/c'");
}

TEST(ParameterStore, RefusesToTrainAnythingButF32) {
  Graph graph = three_parameters();
  graph.add_parameter({"codes", Tensor(DType::I8, {4})});
  const auto store = ParameterStore::from(graph);
  ASSERT_FALSE(store);
  EXPECT_EQ(store.error().what, "parameter 'codes' is i8; only f32 parameters can be trained");
}

TEST(ParameterStore, TakesAGraphWithoutParametersAndOnesOfNoElements) {
  ParameterStore none = ParameterStore::from(Graph("empty")).value();
  EXPECT_TRUE(none.values().empty());
  EXPECT_TRUE(none.trainable().empty());
  Graph graph("hollow");
  graph.add_parameter({"nothing", Tensor(DType::F32, {0, 3})});
  graph.add_parameter({"one", Tensor::of<float>({1}, {2})});
  ParameterStore store = ParameterStore::from(graph).value();
  EXPECT_EQ(store.values().size(), 16u);
  EXPECT_EQ(store.values()[0], 2.0F);
}

}  // namespace
}  // namespace chop
