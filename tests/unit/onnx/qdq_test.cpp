// Quantised networks as exporters write them: pairs of QuantizeLinear and DequantizeLinear are
// number formats whatever stands between them that leaves codes alone, and what is not runs on
// kernels. The numbers are those of the operators' definitions.
#include <gtest/gtest.h>

#include <cstring>
#include <set>

#include "compile/compile.hpp"
#include "support/rng.hpp"
#include "unit/onnx/onnx_builder.hpp"

namespace chop {
namespace {

using testing::OnnxBuilder;
using Type = proto::TensorProto;

void add_codes(OnnxBuilder& model, const std::string& name, int type,
               const std::vector<std::int64_t>& shape, const std::vector<int>& values) {
  auto* tensor = model.graph().add_initializer();
  tensor->set_name(name);
  tensor->set_data_type(type);
  for (const std::int64_t dim : shape) tensor->add_dims(dim);
  for (const int value : values) tensor->add_int32_data(value);
}

struct Ran {
  std::vector<float> values;
  std::vector<std::string> reference_steps;
};

/// On x in [-6, 6], frozen as `ch run` compiles.
Ran run(const Graph& graph, int threads = 1) {
  Plan plan = compile_graph(graph, {.batch = 1, .threads = threads, .frozen = true}).value().plan;
  const Stream noise(3, "x");
  std::uint64_t n = 0;
  for (float& x : plan.input("x")) x = static_cast<float>(12 * noise.uniform(n++) - 6);
  EXPECT_TRUE(plan.run());
  Ran ran{{plan.output().begin(), plan.output().end()}, {}};
  for (const StepInfo& step : plan.steps())
    if (step.backend == kReference) ran.reference_steps.push_back(step.describe());
  return ran;
}

std::multiset<std::string> ops_in(const Graph& graph) {
  std::multiset<std::string> ops;
  for (const NodeId id : graph.order()) {
    const Opcode opcode = graph.node(id).opcode;
    if (opcode == Opcode::CallFunction || opcode == Opcode::CallMethod ||
        opcode == Opcode::CallModule)
      ops.insert(graph.node(id).op);
  }
  return ops;
}

/// x -> QuantizeLinear -> `between` ... -> DequantizeLinear -> Relu.
OnnxBuilder pair(const std::vector<std::pair<std::string, int>>& between, int type, int zero) {
  OnnxBuilder model;
  model.input("x", {1, 3, 8, 8}).output("y").reals("s", {}, {0.0234F});
  add_codes(model, "z", type, {}, {zero});
  std::string codes = "q";
  model.node("QuantizeLinear", {"x", "s", "z"}, {codes});
  for (const auto& [op, to] : between) {
    auto& node = model.node(op, {codes}, {codes + "_"});
    if (to != 0) OnnxBuilder::set(node, "to", std::int64_t{to});
    codes += "_";
  }
  std::string zero_name = "z";
  if (!between.empty() && between.back().second > 0 && between.back().second != type) {
    zero_name = "z_wide";
    add_codes(model, zero_name, between.back().second, {}, {zero});
  }
  model.node("DequantizeLinear", {codes, "s", zero_name}, {"d"});
  model.node("Relu", {"d"}, {"y"});
  return model;
}

TEST(Qdq, PairsAreFormatsWithIdentityAndCastBetweenThem) {
  const std::vector<std::vector<std::pair<std::string, int>>> forms = {
      {},
      {{"Identity", 0}},
      {{"Cast", Type::UINT8}},
      {{"Identity", 0}, {"Cast", Type::UINT8}, {"Identity", 0}},
      {{"Cast", Type::INT32}}};
  std::optional<std::vector<float>> expected;
  for (const auto& form : forms) {
    const Result<OnnxImport> imported = pair(form, Type::UINT8, 114).import();
    ASSERT_TRUE(imported) << to_string(imported.error());
    EXPECT_EQ(ops_in(imported.value().graph), std::multiset<std::string>{"relu"});
    const Ran ran = run(imported.value().graph);
    EXPECT_EQ(ran.reference_steps, std::vector<std::string>());
    const Stream noise(3, "x");
    for (std::size_t i = 0; i < ran.values.size(); ++i) {
      const auto x = static_cast<float>(12 * noise.uniform(i) - 6);
      const float code = std::fmin(std::fmax(std::nearbyint(x / 0.0234F) + 114, 0.0F), 255.0F);
      ASSERT_EQ(ran.values[i], std::fmax((code - 114) * 0.0234F, 0.0F)) << x;
    }
    if (!expected) expected = ran.values;
    EXPECT_EQ(ran.values, *expected);
  }
}

TEST(Qdq, ACastThatChangesCodesIsNoPartOfAFormat) {
  const Result<OnnxImport> imported = pair({{"Cast", Type::INT8}}, Type::UINT8, 100).import();
  ASSERT_TRUE(imported) << to_string(imported.error());
  EXPECT_TRUE(ops_in(imported.value().graph).contains("round"));
  const Ran ran = run(imported.value().graph);
  EXPECT_EQ(ran.reference_steps, std::vector<std::string>());
  const Stream noise(3, "x");
  for (std::size_t i = 0; i < ran.values.size(); ++i) {
    const auto x = static_cast<float>(12 * noise.uniform(i) - 6);
    const float code = std::fmin(std::fmax(std::nearbyint(x / 0.0234F) + 100, 0.0F), 255.0F);
    ASSERT_EQ(ran.values[i], std::fmax((std::fmin(code, 127.0F) - 100) * 0.0234F, 0.0F)) << x;
  }
}

TEST(Qdq, CodesThatAreClippedRunOnKernels) {
  OnnxBuilder model;
  model.input("x", {1, 3, 8, 8}).output("y").reals("s", {}, {0.0234F});
  add_codes(model, "z", Type::INT8, {}, {5});
  add_codes(model, "low", Type::INT8, {}, {5});
  add_codes(model, "high", Type::INT8, {}, {100});
  model.node("QuantizeLinear", {"x", "s", "z"}, {"q"});
  model.node("Clip", {"q", "low", "high"}, {"c"});
  model.node("DequantizeLinear", {"c", "s", "z"}, {"y"});
  const Result<OnnxImport> imported = model.import();
  ASSERT_TRUE(imported) << to_string(imported.error());
  const Ran ran = run(imported.value().graph);
  EXPECT_EQ(ran.reference_steps, std::vector<std::string>());
  const Stream noise(3, "x");
  for (std::size_t i = 0; i < ran.values.size(); ++i) {
    const auto x = static_cast<float>(12 * noise.uniform(i) - 6);
    const float code = std::fmin(std::fmax(std::nearbyint(x / 0.0234F) + 5, 5.0F), 100.0F);
    ASSERT_EQ(ran.values[i], (code - 5) * 0.0234F) << x;
  }
}

/// Weights per channel as stored codes, a bias of int32, an activation behind: one step.
TEST(Qdq, AConvolutionWithItsRoundingsIsOneChain) {
  OnnxBuilder model;
  model.input("x", {1, 3, 8, 8}).output("y").reals("s", {}, {0.05F}).reals("s2", {}, {0.03F});
  add_codes(model, "z", Type::UINT8, {}, {120});
  add_codes(model, "z2", Type::UINT8, {}, {0});
  std::vector<int> codes;
  const Stream noise(4, "w");
  for (std::uint64_t i = 0; i < 4 * 3 * 9; ++i)
    codes.push_back(static_cast<int>(noise.below(i, 255)) - 127);
  add_codes(model, "w", Type::INT8, {4, 3, 3, 3}, codes);
  add_codes(model, "b", Type::INT32, {4}, {40, -90, 0, 7});
  model.reals("ws", {4}, {0.01F, 0.02F, 0.005F, 0.013F}).reals("bs", {4}, {0.01F, 0.02F, 0.03F, 1});
  model.node("QuantizeLinear", {"x", "s", "z"}, {"q"});
  model.node("Identity", {"q"}, {"q2"});
  model.node("DequantizeLinear", {"q2", "s", "z"}, {"d"});
  OnnxBuilder::set(model.node("DequantizeLinear", {"w", "ws"}, {"wd"}), "axis", std::int64_t{0});
  OnnxBuilder::set(model.node("DequantizeLinear", {"b", "bs"}, {"bd"}), "axis", std::int64_t{0});
  auto& conv = model.node("Conv", {"d", "wd", "bd"}, {"c"});
  OnnxBuilder::set(conv, "pads", std::vector<std::int64_t>{1, 1, 1, 1});
  model.node("Relu", {"c"}, {"r"});
  model.node("QuantizeLinear", {"r", "s2", "z2"}, {"rq"});
  model.node("DequantizeLinear", {"rq", "s2", "z2"}, {"rd"});
  model.node("Relu", {"rd"}, {"y"});
  const Result<OnnxImport> imported = model.import();
  ASSERT_TRUE(imported) << to_string(imported.error());
  EXPECT_EQ(ops_in(imported.value().graph), (std::multiset<std::string>{"conv2d", "relu", "relu"}));
  Plan plan = compile_graph(imported.value().graph, {.batch = 1, .threads = 1, .frozen = true})
                  .value()
                  .plan;
  std::vector<std::string> work;
  for (const StepInfo& step : plan.steps())
    if (!step.nodes.empty()) work.push_back(cat(step.op, "+", step.epilogue.size()));
  EXPECT_EQ(work, (std::vector<std::string>{"quantize+0", "conv2d+3"}));
}

/// Sums beyond 2^24, where float32 would round.
TEST(Qdq, IntegerConvolutionsAreExactAndRunOnKernels) {
  constexpr std::int64_t kChannels = 64;
  OnnxBuilder model;
  model.input("x", {1, kChannels, 6, 6}).output("y");
  std::vector<int> codes;
  for (std::int64_t i = 0; i < 2 * kChannels * 9; ++i) codes.push_back(i % 5 == 0 ? 254 : 255);
  add_codes(model, "w", Type::UINT8, {2, kChannels, 3, 3}, codes);
  auto& cast = model.node("Cast", {"x"}, {"q0"});
  OnnxBuilder::set(cast, "to", std::int64_t{Type::INT32});
  model.node("Abs", {"q0"}, {"q1"});
  add_codes(model, "off", Type::INT32, {}, {249});
  model.node("Add", {"q1", "off"}, {"q2"});
  OnnxBuilder::set(model.node("Cast", {"q2"}, {"q"}), "to", std::int64_t{Type::UINT8});
  model.node("ConvInteger", {"q", "w"}, {"c"});
  OnnxBuilder::set(model.node("Cast", {"c"}, {"y"}), "to", std::int64_t{Type::FLOAT});
  const Result<OnnxImport> imported = model.import();
  ASSERT_TRUE(imported) << to_string(imported.error());
  const Ran ran = run(imported.value().graph);
  EXPECT_EQ(ran.reference_steps, std::vector<std::string>());
  ASSERT_EQ(ran.values.size(), 2U * 16U);
  const Stream noise(3, "x");
  for (std::int64_t o = 0; o < 2; ++o)
    for (std::int64_t p = 0; p < 16; ++p) {
      std::int64_t sum = 0;
      for (std::int64_t c = 0; c < kChannels; ++c)
        for (std::int64_t k = 0; k < 9; ++k) {
          const std::int64_t at = (c * 6 + p / 4 + k / 3) * 6 + p % 4 + k % 3;
          const auto x = static_cast<float>(12 * noise.uniform(static_cast<std::uint64_t>(at)) - 6);
          sum += (std::abs(static_cast<std::int64_t>(x)) + 249) *
                 codes[static_cast<std::size_t>((o * kChannels + c) * 9 + k)];
        }
      EXPECT_GT(sum, std::int64_t{1} << 24);
      EXPECT_EQ(ran.values[static_cast<std::size_t>(o * 16 + p)], static_cast<float>(sum));
    }
}

TEST(Qdq, DynamicallyQuantisedProductsRunOnKernels) {
  OnnxBuilder model;
  model.input("x", {4, 300}).output("y").reals("ws", {}, {0.01F});
  std::vector<int> codes;
  for (int i = 0; i < 300 * 5; ++i) codes.push_back(i * 37 % 255 - 127);
  add_codes(model, "w", Type::INT8, {300, 5}, codes);
  model.node("DynamicQuantizeLinear", {"x"}, {"q", "s", "z"});
  model.node("MatMulInteger", {"q", "w", "z"}, {"m"});
  OnnxBuilder::set(model.node("Cast", {"m"}, {"f"}), "to", std::int64_t{Type::FLOAT});
  model.node("Mul", {"s", "ws"}, {"scale"});
  model.node("Mul", {"f", "scale"}, {"y"});
  const Result<OnnxImport> imported = model.import();
  ASSERT_TRUE(imported) << to_string(imported.error());
  EXPECT_EQ(run(imported.value().graph).reference_steps, std::vector<std::string>());
}

}  // namespace
}  // namespace chop
