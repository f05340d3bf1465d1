// Training steps of whole models: fused and unfused, one thread and two, give the same bits;
// no step is left to the slow reference; small models agree with the reference in double.
#include <gtest/gtest.h>

#include "compile/lower.hpp"
#include "models/registry.hpp"
#include "support/planned.hpp"
#include "support/system/simd_level.hpp"

namespace chop {
namespace {

using test::Planned;
using test::Question;

/// One training step: loss, logits and every gradient.
Question training_step(const ModelDef& model, std::int64_t batch) {
  Graph graph = lower(build_model(model.name, {}).value(), Mode::Training).graph;
  const Value logits = graph.outputs()[0];
  const std::string input = graph.node(graph.placeholders()[0]).name;
  const NodeId target = graph.add({.name = "target",
                                   .opcode = Opcode::Placeholder,
                                   .op = "placeholder",
                                   .target = "target",
                                   .attrs = {{"shape", Ints{-1}}, {"dtype", std::string("i64")}}});
  const NodeId loss = graph.add({.name = "loss",
                                 .opcode = Opcode::CallFunction,
                                 .op = "cross_entropy",
                                 .target = "cross_entropy",
                                 .inputs = {logits, {target}}});
  graph.set_outputs({{loss}, logits});
  std::vector<std::string> trainable;
  for (const Parameter& parameter : graph.parameters())
    if (parameter.trainable) trainable.push_back(parameter.name);
  GradientGraph backward = differentiate(std::move(graph), batch, {loss}, trainable).value();

  Question question{std::move(backward.graph), {}, {{loss}, logits}, {"loss", "logits"}, batch};
  for (const auto& [name, value] : backward.gradients) {
    question.wanted.push_back(value);
    question.names.push_back("gradient of " + name);
  }
  question.graph.set_outputs(question.wanted);
  Shape shape = model.sample_shape;
  shape.insert(shape.begin(), batch);
  question.inputs.emplace(input, test::draw({.shape = shape}, Stream(1, "samples")));
  question.inputs.emplace("target", test::draw({.shape = {batch},
                                                .low = 0,
                                                .high = static_cast<double>(model.num_classes),
                                                .dtype = DType::I64},
                                               Stream(1, "targets")));
  return question;
}

class PlanZoo : public testing::TestWithParam<std::string> {
 protected:
  static const ModelDef& model() { return *find_model(GetParam()).value(); }
};

std::vector<std::string> model_names() {
  std::vector<std::string> names;
  for (const ModelDef& model : all_models()) names.emplace_back(model.name);
  return names;
}

TEST_P(PlanZoo, FusedOrNotAndForAnyThreadsTheBitsAreTheSame) {
  const Question question = training_step(model(), 3);
  const RunState state{.seed = 2, .step = 5};
  Planned plan(question, 1);
  const std::vector<Tensor> fused = plan.run(state);
  Planned unfused(question, 1, /*reference_only=*/false, /*fuse=*/false);
  EXPECT_LE(plan.plan().step_count(), unfused.plan().step_count());
  test::expect_same_bits(unfused.run(state), fused, question.names);
  test::expect_same_bits(Planned(question, 2).run(state), fused, question.names);
}

TEST_P(PlanZoo, EveryStepOfTrainingHasAKernel) {
  const Planned plan(training_step(model(), 2), 1);
  EXPECT_EQ(test::reference_steps(plan.plan()), std::vector<std::string>());
}

TEST_P(PlanZoo, SmallModelsAgreeWithTheReference) {
  if (model().parameters > 100'000 || model().sample_shape.size() > 1)
    GTEST_SKIP() << "too slow in double";
  const Question question = training_step(model(), 9);
  // A bias before a batch norm has no influence: its gradient is nothing but rounding noise,
  // which is measured against the size gradients have elsewhere.
  test::expect_close(Planned(question, 1).run(), test::run_in_double(question), question.names,
                     /*tolerance=*/1e-4, /*floor=*/0.1);
}

TEST_P(PlanZoo, LargeBatchesSharedOutHaveTheSameBitsAndAgreeWithTheReference) {
  if (model().parameters > 20'000 || model().sample_shape.size() > 1)
    GTEST_SKIP() << "too slow in double";
  const Question question = training_step(model(), 4999);  // blocks of rows, the last one smaller
  const RunState state{.seed = 2, .step = 5};
  const std::vector<Tensor> alone = Planned(question, 1).run(state);
  test::expect_same_bits(Planned(question, 3).run(state), alone, question.names);
  Planned unfused(question, 2, /*reference_only=*/false, /*fuse=*/false);
  test::expect_same_bits(unfused.run(state), alone, question.names);
  // With the roundings of SSE2 an activation of jsc-deep falls on the other side of a ReLU. It is
  // of one row in 4,999, so a gradient moves by 2e-4 at most.
  const double tolerance = has_fused_arithmetic(simd_level()) ? 2e-4 : 2e-3;
  test::expect_close(Planned(question, 3).run(), test::run_in_double(question), question.names,
                     tolerance, /*floor=*/0.1);
}

INSTANTIATE_TEST_SUITE_P(Models, PlanZoo, testing::ValuesIn(model_names()), [](const auto& at) {
  std::string name = at.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

}  // namespace
}  // namespace chop
