// Plans against the reference, for every sample of every op: fast kernels, memory layout and
// threads change how results come about, never what they are.
#include <gtest/gtest.h>

#include <limits>

#include "support/planned.hpp"

namespace chop {
namespace {

using test::Case;
using test::Planned;
using test::Question;

/// Of the tensor's largest magnitude; float32 rounds to 6e-8, and sums are short here.
constexpr double kTolerance = 2e-5;

class PlanConformance : public testing::TestWithParam<Case> {};

TEST_P(PlanConformance, AgreesWithTheReference) {
  for (const bool training : {false, true}) {
    const Question question = test::question_of(GetParam(), training);
    const RunState state{.seed = 5, .step = 7};
    const std::vector<Tensor> expected = test::run_in_double(question, state);
    test::expect_close(Planned(question, 1).run(state), expected, question.names, kTolerance);
    test::expect_close(Planned(question, 1, /*reference_only=*/true).run(state), expected,
                       question.names, kTolerance);
  }
}

TEST_P(PlanConformance, GivesTheSameBitsForAnyNumberOfThreads) {
  for (const bool training : {false, true}) {
    const Question question = test::question_of(GetParam(), training);
    const std::vector<Tensor> one = Planned(question, 1).run();
    for (const int threads : {2, 3})
      test::expect_same_bits(Planned(question, threads).run(), one, question.names);
  }
}

TEST_P(PlanConformance, KeepsNothingFromRunToRun) {
  for (const bool training : {false, true}) {
    const Question question = test::question_of(GetParam(), training);
    Planned plan(question, 2);
    const std::vector<Tensor> first = plan.run();
    std::vector<Tensor> again = plan.run();
    if (!GetParam().op->updates.empty()) continue;  // each run moves the buffers further
    test::expect_same_bits(again, first, question.names);
  }
}

TEST_P(PlanConformance, ComputesOnlyWhatIsAskedFor) {
  for (const bool training : {false, true}) {
    const Question question = test::question_of(GetParam(), training);
    const std::vector<Tensor> all = Planned(question, 1).run();
    for (std::size_t k = 0; k < question.wanted.size(); ++k) {
      Question one = question;
      one.wanted = {question.wanted[k]};
      one.names = {question.names[k]};
      one.graph.set_outputs(one.wanted);
      test::expect_same_bits(Planned(one, 1).run(), {all[k]}, one.names);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Ops, PlanConformance, testing::ValuesIn(test::all_cases()),
                         [](const auto& at) { return at.param.name(); });

/// x = each nasty value, several times over so that full vectors and their rest both see it.
Tensor nasty_values() {
  constexpr float kInf = std::numeric_limits<float>::infinity();
  const std::vector<float> values = {
      0.0F,   -0.0F,   kInf, -kInf, std::nanf(""), 1e30F, -1e30F, 1e-30F, -1e-30F, 88.0F, -88.0F,
      104.0F, -104.0F, 3.0F, -3.0F, 6.0F,          0.09F, -0.09F, 0.36F,  -0.36F,  1.0F,  -1.0F};
  Tensor tensor(DType::F32, {static_cast<std::int64_t>(values.size()) * 3 + 1});
  const auto out = tensor.mutable_data<float>();
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = values[i % values.size()];
  return tensor;
}

/// One call of an elementwise sample on the nasty values, with its gradient, if any, for dy = 1.
Question nasty_question(const Case& at) {
  const Tensor x = nasty_values();
  Graph graph(at.name());
  const Value in = test::add_placeholder(graph, "x0", x.shape());
  const NodeId call = graph.add({.name = "call",
                                 .opcode = Opcode::CallFunction,
                                 .op = std::string(at.op->name),
                                 .target = std::string(at.op->name),
                                 .inputs = {in},
                                 .attrs = at.sample().attrs});
  graph.set_outputs({{call}});
  if (has(at.op->traits, Trait::NoGradient)) return {graph, {{"x0", x}}, {{call}}, {"value"}, 2};
  const Value seed = test::add_placeholder(graph, "seed", x.shape());
  graph.set_outputs({{call}});
  GradientGraph backward = differentiate(graph, 2, {call}, {"x0"}, seed).value();
  Question question{std::move(backward.graph),
                    {{"x0", x}, {"seed", Tensor::full(x.shape(), 1.0)}},
                    {{call}, backward.gradients.at("x0")},
                    {"value", "slope"},
                    2};
  question.graph.set_outputs(question.wanted);
  return question;
}

TEST(NastyValues, ElementwiseKernelsAgreeWithTheReference) {
  for (const Case& at : test::all_cases()) {
    if (at.op->unary.value == nullptr) continue;
    SCOPED_TRACE(at.name());
    const Question question = nasty_question(at);
    const std::vector<Tensor> expected = test::run_in_double(question);
    const std::vector<Tensor> got = Planned(question, 1).run();
    for (std::size_t k = 0; k < got.size(); ++k)
      for (std::int64_t i = 0; i < got[k].size(); ++i) {
        const double x = question.inputs.at("x0").at(i);
        const double want = static_cast<float>(expected[k].at(i));
        const double have = got[k].at(i);
        EXPECT_EQ(std::isnan(have), std::isnan(want))
            << question.names[k] << " at " << x << ": plan " << have << ", reference " << want;
        if (std::isnan(want) || have == want) continue;
        // Values are good to a relative error; slopes may round at the scale of 1. Denormal numbers
        // are zeros, also those that are multiplied by x afterwards.
        const double allowed = kTolerance * (k == 0 ? std::abs(want) : 1.0) + 2e-36;
        EXPECT_LE(std::abs(have - want), allowed)
            << question.names[k] << " at " << x << ": plan " << have << ", reference " << want;
      }
  }
}

}  // namespace
}  // namespace chop
