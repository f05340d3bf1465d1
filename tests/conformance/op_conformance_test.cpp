// The contract of all ops, run on the samples each one declares.
#include <gtest/gtest.h>

#include "compile/gradient.hpp"
#include "support/samples.hpp"
#include "support/text.hpp"

namespace chop {
namespace {

using test::Case;
using test::Made;

class OpConformance : public testing::TestWithParam<Case> {
 protected:
  const OpDef& op() const { return *GetParam().op; }
};

TEST_P(OpConformance, DeclaresAllItMust) {
  EXPECT_FALSE(op().doc.empty());
  EXPECT_NE(op().infer, nullptr);
  EXPECT_NE(op().forward, nullptr);
  EXPECT_NE(op().cost, nullptr);
  EXPECT_TRUE(op().mase_type == MaseType::Gradient || !op().module.empty() ||
              !op().function.empty() || !op().method.empty() || has(op().traits, Trait::Surrogate))
      << "an op users can call needs a PyTorch name";
  for (const Field& attr : op().attrs) EXPECT_FALSE(attr.doc.empty()) << attr.name;
  Attrs attrs = GetParam().sample().attrs;
  const Status status = check_attrs(op(), attrs);
  EXPECT_TRUE(status) << to_string(status.error());
}

TEST_P(OpConformance, ComputesTheShapesItInfers) {
  for (const bool training : {false, true}) {
    Made made = make(GetParam(), training);
    const Status verified = verify(made.graph);
    ASSERT_TRUE(verified) << to_string(verified.error());
    Result<Types> types = infer_types(made.graph, 2);
    ASSERT_TRUE(types) << to_string(types.error());
    Result<Values> values = run_reference(made.graph, made.inputs);
    ASSERT_TRUE(values) << to_string(values.error());
    const auto& out = values.value()[index(made.call)];
    const auto& inferred = types.value()[index(made.call)];
    ASSERT_EQ(out.size(), inferred.size());
    for (std::size_t i = 0; i < out.size(); ++i) {
      EXPECT_EQ(out[i].shape(), inferred[i].shape);
      for (std::int64_t e = 0; e < out[i].size(); ++e)
        EXPECT_TRUE(std::isfinite(out[i].at(e))) << "result " << i << ", element " << e;
    }
  }
}

TEST_P(OpConformance, CostsNothingNegative) {
  const Made made = make(GetParam());
  const Types types = infer_types(made.graph, 2).value();
  std::vector<TensorType> in;
  for (const Value& value : made.graph.node(made.call).inputs) in.push_back(type_of(types, value));
  const Cost cost =
      op().cost({{{op(), made.graph.node(made.call).attrs}, in}, types[index(made.call)]});
  EXPECT_GE(cost.macs, 0);
  EXPECT_GE(cost.lab, cost.macs);
  EXPECT_GE(cost.exact, cost.macs);
  EXPECT_GE(cost.backward, 0);
}

/// Σ w·y over result 0 with fixed weights w, and its gradients from the op's rule.
void expect_gradients_match(const Case& at, bool training) {
  Made made = make(at, training);
  const Types types = infer_types(made.graph, 2).value();
  const TensorType out = types[index(made.call)][0];
  if (!is_floating(out.dtype) || made.differentiable.empty()) return;
  const NodeId seed = made.graph.add({.name = "seed",
                                      .opcode = Opcode::Placeholder,
                                      .op = "placeholder",
                                      .target = "seed",
                                      .attrs = {{"shape", out.shape}}});
  made.graph.set_outputs({{made.call}});
  const Tensor weights =
      test::draw({.shape = out.shape, .low = 0.5, .high = 1.5}, Stream(2, "seed"));
  made.inputs.emplace("seed", weights);

  const auto loss = [&](const NamedTensors& inputs, const Graph& graph) {
    const Values values = run_reference(graph, inputs).value();
    const auto y = values[index(made.call)][0].data<double>();
    double sum = 0;
    for (std::size_t i = 0; i < y.size(); ++i) sum += y[i] * weights.data<float>()[i];
    return sum;
  };

  Result<GradientGraph> backward =
      differentiate(made.graph, 2, {made.call}, made.differentiable, Value{seed});
  ASSERT_TRUE(backward) << to_string(backward.error());
  Result<Values> values = run_reference(backward.value().graph, made.inputs);
  ASSERT_TRUE(values) << to_string(values.error());

  const double h = 1e-5;
  for (const std::string& name : made.differentiable) {
    const auto found = backward.value().gradients.find(name);
    const auto shifted_loss = [&](std::size_t element, double by) {
      NamedTensors inputs = made.inputs;
      Graph graph = made.graph;
      Parameter* parameter = graph.find_parameter(name);
      Tensor& target = parameter != nullptr ? parameter->value : inputs.at(name);
      target = target.to(DType::F64);
      target.mutable_data<double>()[element] += by;
      return loss(inputs, graph);
    };
    const Tensor& leaf = made.graph.find_parameter(name) != nullptr
                             ? made.graph.find_parameter(name)->value
                             : made.inputs.at(name);
    for (std::int64_t e = 0; e < leaf.size(); ++e) {
      const auto element = static_cast<std::size_t>(e);
      const double expected = (shifted_loss(element, h) - shifted_loss(element, -h)) / (2 * h);
      double got = 0;
      if (found != backward.value().gradients.end()) {
        const Tensor& gradient = values.value()[index(found->second.node)][found->second.index];
        ASSERT_EQ(gradient.shape(), leaf.shape()) << name;
        got = gradient.at(e);
      }
      const double scale = std::max(1.0, std::abs(leaf.at(e)));  // large inputs lose digits to h
      EXPECT_NEAR(got, expected, 1e-5 * std::max({1.0, std::abs(expected), scale}))
          << at.op->name << (training ? " (training), " : ", ") << name << ", element " << e;
    }
  }
}

TEST_P(OpConformance, GradientMatchesFiniteDifferences) {
  if (has(op().traits, Trait::Surrogate))
    GTEST_SKIP() << "its gradient is a rule, tested with the formats";
  if (has(op().traits, Trait::NoGradient))
    GTEST_SKIP() << op().name << " is differentiable nowhere";
  if (op().gradient == nullptr) {
    EXPECT_EQ(op().mase_type, MaseType::Gradient) << "an op of the forward pass needs a gradient";
    GTEST_SKIP() << op().name << " has no second derivative";
  }
  expect_gradients_match(GetParam(), /*training=*/false);
  expect_gradients_match(GetParam(), /*training=*/true);
}

INSTANTIATE_TEST_SUITE_P(Ops, OpConformance, testing::ValuesIn(test::all_cases()),
                         [](const auto& at) { return at.param.name(); });

TEST_P(OpConformance, OperandsOfAnotherTypeAreRefusedOrHaveAGradient) {
  if (op().gradient == nullptr) GTEST_SKIP() << op().name << " has no gradient";
  const std::vector<std::string> leaves = make(GetParam(), true).differentiable;
  for (const std::string& changed : leaves) {
    Made made = make(GetParam(), true);
    if (Parameter* parameter = made.graph.find_parameter(changed); parameter != nullptr)
      parameter->value = Tensor(DType::I8, parameter->value.shape());
    for (const NodeId id : made.graph.order())
      if (made.graph.node(id).opcode == Opcode::Placeholder &&
          made.graph.node(id).target == changed)
        made.graph.node(id).attrs["dtype"] = "i8";
    const Result<Types> types = infer_types(made.graph, 2);
    if (!types || !is_floating(types.value()[index(made.call)][0].dtype)) continue;
    const NodeId seed =
        made.graph.add({.name = "seed",
                        .opcode = Opcode::Placeholder,
                        .op = "placeholder",
                        .target = "seed",
                        .attrs = {{"shape", types.value()[index(made.call)][0].shape}}});
    made.graph.set_outputs({{made.call}});
    const Result<GradientGraph> backward =
        differentiate(made.graph, 2, {made.call}, leaves, Value{seed});
    EXPECT_TRUE(backward || !backward.error().what.empty()) << changed;
  }
}

TEST(Registry, EveryOpHasSamples) {
  for (const OpDef& op : all_ops()) EXPECT_FALSE(op.samples.empty()) << op.name;
}

TEST(Registry, UnknownOpNamesTheNearest) {
  const Result<const OpDef*> op = find_op("leaky_relo");
  ASSERT_FALSE(op);
  EXPECT_EQ(op.error().what, "unknown op 'leaky_relo'");
  EXPECT_TRUE(op.error().hint.starts_with("did you mean 'leaky_relu'?")) << op.error().hint;
}

}  // namespace
}  // namespace chop
