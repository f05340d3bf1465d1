// Networks and data small enough to train in a test.
#pragma once

#include "data/dataset.hpp"
#include "models/registry.hpp"
#include "ops/core/builder.hpp"

namespace chop::test {

inline Dataset toy_data(std::int64_t rows) {
  return load_dataset("toy_tiny", {.use_cache = false, .rows = rows, .threads = 1}).value();
}

inline Graph toy_network(std::uint64_t seed = 1) {
  return build_model("toy", {.sample_shape = {1, 2, 2}, .num_classes = 2, .seed = seed}).value();
}

/// Linear, batch norm, dropout, linear: a buffer, a random op, statistics over the batch.
inline Graph noisy_network() {
  GraphBuilder b("noisy", 2);
  Value x = b.function("flatten", {b.input("x", {-1, 1, 2, 2})}, {{"start_dim", 1}});
  x = b.module("linear", "fc1", {x}, {{"in_features", 4}, {"out_features", 20}});
  x = b.module("batch_norm1d", "norm", {x}, {{"num_features", 20}});
  x = b.module("relu", "act", {x});
  x = b.module("dropout", "drop", {x}, {{"p", 0.25}});
  x = b.module("linear", "fc2", {x}, {{"in_features", 20}, {"out_features", 2}});
  return std::move(b).finish({x}).value();
}

/// Neurons that read two or three of their inputs.
inline Graph sparse_network(std::uint64_t seed = 4) {
  GraphBuilder b("sparse", seed);
  Value x = b.function("flatten", {b.input("x", {-1, 1, 2, 2})}, {{"start_dim", 1}});
  x = b.module("linear", "fc1", {x}, {{"in_features", 4}, {"out_features", 20}, {"fan_in", 2}});
  x = b.module("relu", "act", {x});
  x = b.module("linear", "fc2", {x}, {{"in_features", 20}, {"out_features", 2}, {"fan_in", 3}});
  return std::move(b).finish({x}).value();
}

inline Graph conv_network() {
  GraphBuilder b("conv", 3);
  Value x = b.input("x", {-1, 1, 2, 2});
  x = b.module(
      "conv2d", "conv", {x},
      {{"in_channels", 1}, {"out_channels", 6}, {"kernel_size", Ints{3}}, {"padding", Ints{1}}});
  x = b.module("relu", "act", {x});
  x = b.module("max_pool2d", "pool", {x}, {{"kernel_size", Ints{2}}});
  x = b.function("flatten", {x}, {{"start_dim", 1}});
  x = b.module("linear", "fc", {x}, {{"in_features", 6}, {"out_features", 2}});
  return std::move(b).finish({x}).value();
}

/// y = W x + b with weights given row by row.
inline Graph linear_network(Shape sample, std::int64_t classes, const std::vector<float>& weights,
                            std::string_view layer = "fc", std::string_view input = "x") {
  GraphBuilder b("linear", 0);
  const std::int64_t width = numel(sample);
  sample.insert(sample.begin(), -1);
  const Value x = b.input(input, sample);
  const Value y =
      b.module("linear", layer, {x}, {{"in_features", width}, {"out_features", classes}});
  Graph graph = std::move(b).finish({y}).value();
  const std::string name(layer);
  graph.find_parameter(name + ".weight")->value =
      Tensor::of<float>({classes, width}, std::span<const float>(weights));
  graph.find_parameter(name + ".bias")->value = Tensor(DType::F32, {classes});
  return graph;
}

}  // namespace chop::test
