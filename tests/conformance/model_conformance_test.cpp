// The contract of every model of the zoo.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "models/registry.hpp"
#include "ops/core/infer.hpp"
#include "ops/core/registry.hpp"

namespace chop {
namespace {

class ModelConformance : public testing::TestWithParam<std::string> {
 protected:
  static const ModelDef& model() { return *find_model(GetParam()).value(); }
};

Graph built(const ModelDef& model, std::uint64_t seed) {
  Result<Graph> graph = build_model(model.name, {.seed = seed});
  EXPECT_TRUE(graph) << to_string(graph.error());
  return graph ? std::move(graph).value() : Graph();
}

TEST_P(ModelConformance, BuildsAGraphThatVerifies) {
  const Graph graph = built(model(), 0);
  const Status status = verify(graph);
  EXPECT_TRUE(status) << to_string(status.error());
  EXPECT_EQ(graph.name(), model().name);
  EXPECT_FALSE(model().doc.empty());
  EXPECT_FALSE(model().source.empty());
  EXPECT_FALSE(model().dataset.empty());
  EXPECT_TRUE(model().task == "physical" || model().task == "vision") << model().task;
}

TEST_P(ModelConformance, HasTheDeclaredNumberOfParameters) {
  EXPECT_EQ(built(model(), 0).parameter_count(), model().parameters);
}

TEST_P(ModelConformance, MapsAnyBatchToOneRowOfClassesPerSample) {
  const Graph graph = built(model(), 0);
  ASSERT_EQ(graph.placeholders().size(), 1U);
  ASSERT_EQ(graph.outputs().size(), 1U);
  for (const std::int64_t batch : {1, 7}) {
    const Result<Types> types = infer_types(graph, batch);
    ASSERT_TRUE(types) << to_string(types.error());
    EXPECT_EQ(type_of(types.value(), graph.outputs()[0]),
              (TensorType{DType::F32, {batch, model().num_classes}}));
  }
}

TEST_P(ModelConformance, FitsItselfToTheNumberOfClasses) {
  const Result<Graph> graph = build_model(model().name, {.num_classes = 3});
  ASSERT_TRUE(graph) << to_string(graph.error());
  const Types types = infer_types(graph.value(), 2).value();
  EXPECT_EQ(type_of(types, graph.value().outputs()[0]).shape, (Shape{2, 3}));
}

TEST_P(ModelConformance, DependsOnTheSeedAlone) {
  const Graph first = built(model(), 1);
  EXPECT_TRUE(first == built(model(), 1));
  const Graph other = built(model(), 2);
  ASSERT_EQ(first.parameters().size(), other.parameters().size());
  for (std::size_t i = 0; i < first.parameters().size(); ++i) {
    const Parameter& a = first.parameters()[i];
    const auto values = a.value.data<float>();
    const bool drawn =
        std::any_of(values.begin(), values.end(), [&](float v) { return v != values.front(); });
    EXPECT_EQ(drawn, !(a.value == other.parameters()[i].value)) << a.name;
  }
}

/// Mean 0 within five standard errors; deviation within 5 % for tensors large enough to tell.
void expect_spread(const Parameter& parameter, double deviation) {
  const auto values = parameter.value.data<float>();
  if (values.size() < 1000) return;
  double mean = 0;
  double square = 0;
  for (const float v : values) mean += v;
  mean /= static_cast<double>(values.size());
  for (const float v : values) square += (v - mean) * (v - mean);
  EXPECT_NEAR(mean, 0, 5 * deviation / std::sqrt(static_cast<double>(values.size())))
      << parameter.name;
  EXPECT_NEAR(std::sqrt(square / static_cast<double>(values.size())), deviation, 0.05 * deviation)
      << parameter.name;
}

// What PyTorch does: linear and convolution uniform within ±1/√fan_in, norms 1 and 0. The
// networks of torchvision draw their convolutions from a normal distribution instead.
TEST_P(ModelConformance, StartsFromPyTorchsDistributions) {
  const Graph graph = built(model(), 0);
  const bool vision = model().source == "torchvision";
  for (const Parameter& parameter : graph.parameters()) {
    const auto values = parameter.value.data<float>();
    const Shape& shape = parameter.value.shape();
    const auto all = [&](float wanted) {
      return std::all_of(values.begin(), values.end(), [&](float v) { return v == wanted; });
    };
    if (parameter.name.ends_with(".running_mean")) {
      EXPECT_TRUE(all(0)) << parameter.name;
    } else if (parameter.name.ends_with(".running_var")) {
      EXPECT_TRUE(all(1)) << parameter.name;
    } else if (shape.size() >= 2) {
      const auto fan_in = static_cast<double>(parameter.value.size() / shape[0]);
      const auto fan_out =
          static_cast<double>(parameter.value.size() / shape[1]);  // as PyTorch counts it
      if (vision && shape.size() == 4) {
        expect_spread(parameter, std::sqrt(2 / fan_out));
      } else if (model().name == "mobilenetv2") {
        expect_spread(parameter, 0.01);
      } else {
        const double bound = 1 / std::sqrt(fan_in);
        for (const float v : values) ASSERT_LE(std::abs(v), static_cast<float>(bound));
        expect_spread(parameter, bound / std::sqrt(3.0));
      }
    }
  }
}

TEST_P(ModelConformance, GivesEachParameterToAModule) {
  const Graph graph = built(model(), 0);
  std::set<std::string> owned;
  for (const NodeId id : graph.order()) {
    const Node& node = graph.node(id);
    if (node.opcode != Opcode::CallModule) continue;
    for (const ParamDef& def : op_of(node).params)
      if (is_present(def, {op_of(node), node.attrs})) owned.insert(cat(node.target, ".", def.name));
  }
  for (const Parameter& parameter : graph.parameters())
    EXPECT_TRUE(owned.contains(parameter.name)) << parameter.name;
  EXPECT_EQ(owned.size(), graph.parameters().size());
}

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const ModelDef& model : all_models()) all.emplace_back(model.name);
  return all;
}

INSTANTIATE_TEST_SUITE_P(Models, ModelConformance, testing::ValuesIn(names()),
                         [](const testing::TestParamInfo<std::string>& param) {
                           std::string name = param.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace chop
