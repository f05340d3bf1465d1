// Every format on every op that takes formats: the planned run against the op's own reference
// on operands quantised one by one, and gradients by the format's rule.
#include "compile/lower.hpp"
#include "support/planned.hpp"

#include "io/checkpoint.hpp"
#include "models/registry.hpp"
#include "unit/formats/format_helpers.hpp"
#include "unit/io/temp_folder.hpp"

namespace chop::test {
namespace {

/// One sample per op that takes formats.
std::vector<Case> quantisable_cases() {
  std::vector<Case> cases;
  for (const Case& at : all_cases()) {
    if (at.op->quantisable.empty()) continue;
    const bool first = cases.empty() || cases.back().op != at.op;
    if (first && numel(at.sample().inputs[0].shape) > 1) cases.push_back(at);
  }
  return cases;
}

class FormatConformance : public ::testing::TestWithParam<Case> {};

bool is_real(const Made& made, std::size_t input) {
  const Types types = infer_types(made.graph, 2).value();
  return type_of(types, made.graph.node(made.call).inputs[input]).dtype == DType::F32;
}

/// Operands that are buffers keep their values: a variance of -1 is none.
bool takes_format(const Made& made, std::size_t input) {
  const Node& source = made.graph.node(made.graph.node(made.call).inputs[input].node);
  if (source.opcode != Opcode::GetAttr) return is_real(made, input);
  return made.graph.find_parameter(source.target)->trainable;
}

/// The made graph with a format on every operand that takes one.
Graph with_formats(const Made& made, const NumberFormat& format) {
  Graph graph = made.graph;
  Node& call = graph.node(made.call);
  for (std::size_t i = 0; i < call.inputs.size(); ++i)
    if (takes_format(made, i)) call.formats[cat("data_in_", i)] = complete(format).value();
  return graph;
}

/// The made graph without formats on operands that were quantised beforehand, by definition.
Made on_quantised(const Made& made, const NumberFormat& format, const RunState& state) {
  Made quantised_made = made;
  const Node& call = made.graph.node(made.call);
  for (std::size_t i = 0; i < call.inputs.size(); ++i) {
    if (!takes_format(made, i)) continue;
    const Node& source = made.graph.node(call.inputs[i].node);
    const bool owned = source.opcode == Opcode::GetAttr;
    Tensor& value = owned ? quantised_made.graph.find_parameter(source.target)->value
                          : quantised_made.inputs.at(source.name);
    Quantiser q = Quantiser::make(format, value.shape()).value();
    const std::string node = cat("call_data_in_", i, "_quantized");
    const std::vector<float> x(value.data<float>().begin(), value.data<float>().end());
    q.run_plainly(x.data(), value.mutable_data<float>().data(),
                  {.seed = mix64(state.seed ^ hash_text(node)), .step = state.step});
  }
  return quantised_made;
}

TEST_P(FormatConformance, EveryFormatActsOnTheOperands) {
  const Made made = make(GetParam());
  const RunState state{.seed = 3, .step = 5};
  for (const NumberFormat& format : sample_formats()) {
    SCOPED_TRACE(display(format));
    const Graph lowered = lower(with_formats(made, format), Mode::Evaluation).graph;
    const Value result = lowered.outputs()[0];
    const Question asked{lowered, made.inputs, {result}, {"result"}, 2};
    const Made other = on_quantised(made, format, state);
    const Question expected{other.graph, other.inputs, {{other.call}}, {"result"}, 2};
    const std::vector<Tensor> want = run_in_double(expected, state);
    expect_same_bits(run_in_double(asked, state), want, {"reference"});
    expect_close(Planned(asked, 1).run(state), want, {"plan"}, 2e-5);
    expect_same_bits(Planned(asked, 2).run(state), Planned(asked, 1).run(state), {"threads"});
  }
}

bool has_denormals(const Tensor& tensor) {
  if (tensor.dtype() != DType::F32) return false;
  const auto values = tensor.data<float>();
  return std::any_of(values.begin(), values.end(),
                     [](float x) { return std::fpclassify(x) == FP_SUBNORMAL; });
}

struct Gradients {
  std::vector<Tensor> values;
  std::vector<std::string> names;
};

/// Gradients of Σ seed · result with respect to all leaves, by the reference in double.
Gradients gradients_of(const Made& made, Graph lowered, RunState state) {
  const Value result = lowered.outputs()[0];
  const Types types = infer_types(lowered, 2).value();
  const Value seed = add_placeholder(lowered, "seed", type_of(types, result).shape);
  GradientGraph backward = differentiate(lowered, 2, result, made.differentiable, seed).value();
  Question question{backward.graph, made.inputs, {}, {}, 2};
  question.inputs.emplace(
      "seed",
      draw({.shape = type_of(types, result).shape, .low = 0.5, .high = 1.5}, Stream(2, "s")));
  Gradients found;
  for (const auto& [name, value] : backward.gradients) {
    question.wanted.push_back(value);
    found.names.push_back(name);
  }
  question.graph.set_outputs(question.wanted);
  found.values = run_in_double(question, state);
  // Plans take denormal inputs for zeros, unless a format of the graph makes such numbers itself.
  if (std::ranges::none_of(made.inputs, [](const auto& at) { return has_denormals(at.second); }))
    expect_close(Planned(question, 1).run(state), found.values, found.names, 5e-5);
  return found;
}

/// What the rule makes of dL/dq: nothing, a mask, or the format's own arithmetic.
Tensor by_rule(const NumberFormat& format, const Tensor& x, const Tensor& dq) {
  const FormatDef& def = *find_format(format.name).value();
  if (def.gradient == GradientRule::StraightThrough) return dq;
  Tensor dx = dq.to(DType::F32);
  if (def.gradient == GradientRule::Clipped) {
    for (std::size_t i = 0; i < static_cast<std::size_t>(dx.size()); ++i)
      if (std::abs(x.data<float>()[i]) > 1) dx.mutable_data<float>()[i] = 0;
  } else {
    const Tensor dy = dx;
    Quantiser q = Quantiser::make(format, x.shape()).value();
    q.gradient(x.data<float>().data(), dy.data<float>().data(), dx.mutable_data<float>().data());
  }
  return dx;
}

TEST_P(FormatConformance, GradientsFollowTheRuleOfTheFormat) {
  const Made made = make(GetParam());
  if (made.differentiable.empty()) GTEST_SKIP() << "nothing to differentiate";
  const RunState state{.seed = 3, .step = 5};
  for (const NumberFormat& format : sample_formats()) {
    SCOPED_TRACE(display(format));
    const Gradients got =
        gradients_of(made, lower(with_formats(made, format), Mode::Evaluation).graph, state);
    const Made other = on_quantised(made, format, state);
    const Gradients plain = gradients_of(other, other.graph, state);
    ASSERT_EQ(got.names, plain.names);
    for (std::size_t k = 0; k < got.names.size(); ++k) {
      const auto input = made.inputs.find(got.names[k]);
      const Tensor& x = input != made.inputs.end() ? input->second
                                                   : made.graph.find_parameter(got.names[k])->value;
      expect_close({got.values[k]}, {by_rule(format, x, plain.values[k])}, {got.names[k]}, 1e-6);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Ops, FormatConformance, ::testing::ValuesIn(quantisable_cases()),
                         [](const auto& at) { return at.param.name(); });

/// Every operand that may carry a format carries this one.
Graph network_in(const char* model, const NumberFormat& format) {
  Graph graph = build_model(model, {}).value();
  for (const NodeId id : graph.order()) {
    Node& node = graph.node(id);
    const bool call = node.opcode == Opcode::CallModule || node.opcode == Opcode::CallFunction;
    if (!call || op_of(node).quantisable.empty()) continue;
    node.formats["data_in_0"] = complete(format).value();
    for (const ParamDef& def : op_of(node).params)
      if (def.trainable && is_present(def, {op_of(node), node.attrs}))
        node.formats[std::string(def.name)] = complete(format).value();
  }
  return graph;
}

TEST(FormatConformance, WholeNetworksRunAndReloadToTheSameBits) {
  const testing::TempFolder folder;
  const std::filesystem::path path = folder / "network.mz";
  for (const char* model : {"jsc-toy", "toy_convnet"})
    for (const NumberFormat& format : sample_formats()) {
      SCOPED_TRACE(cat(model, " ", display(format)));
      const Graph graph = network_in(model, format);
      ASSERT_TRUE(verify(graph));
      const Types types = infer_types(graph, 3).value();
      const Shape shape = types[index(graph.placeholders()[0])][0].shape;
      const NamedTensors inputs = {{"x", draw({.shape = shape}, Stream(4, model))}};
      const auto outputs = [&](const Graph& network, int threads) {
        const Graph lowered = lower(network, Mode::Evaluation).graph;
        return Planned({lowered, inputs, lowered.outputs(), {"output"}, 3}, threads).run();
      };
      const std::vector<Tensor> once = outputs(graph, 1);
      for (std::int64_t i = 0; i < once[0].size(); ++i) ASSERT_TRUE(std::isfinite(once[0].at(i)));
      expect_same_bits(outputs(graph, 2), once, {"two threads"});
      ASSERT_TRUE(save_checkpoint(path, {.graph = graph}));
      const Graph again = load_checkpoint(path).value().graph;
      EXPECT_EQ(again, graph);
      expect_same_bits(outputs(again, 1), once, {"reloaded"});
    }
}

TEST(FormatConformance, EveryFormatHasSamplesThatAreConfigurationsOfIt) {
  for (const FormatDef& def : all_formats()) {
    EXPECT_FALSE(def.samples.empty()) << def.name << " is not tested: give it samples";
    for (const NumberFormat& sample : samples_of(def)) {
      const Result<NumberFormat> full = complete(sample);
      EXPECT_TRUE(full) << (full ? "" : to_string(full.error()));
    }
  }
}

/// A format that changes nothing is a mistake in its definition, unless it is the plain one.
TEST(FormatConformance, EveryFormatButThePlainOneChangesValues) {
  const std::vector<float> x = nasty_values(8, /*with_nan=*/false);
  for (const NumberFormat& format : sample_formats()) {
    const bool same = quantised(format, x) == x;
    EXPECT_EQ(same, format.is_plain()) << display(format);
  }
}

}  // namespace
}  // namespace chop::test
