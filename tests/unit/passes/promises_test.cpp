// What every pass promises, held against networks: an analysis changes not a bit of what a
// network computes, and passes that may change outputs change them by no more than they say.
#include <cmath>

#include "compile/lower.hpp"
#include "runtime/reference.hpp"
#include "support/json.hpp"
#include "support/rng.hpp"
#include "unit/passes/pass_fixture.hpp"

namespace chop {
namespace {

Split rows_for(const Graph& graph, std::int64_t rows) {
  const Types types = infer_types(graph, rows).value();
  Split split{.x = Tensor(types[index(graph.placeholders()[0])][0]),
              .y = Tensor(DType::I64, {rows})};
  const Stream noise(5, "promises");
  std::uint64_t n = 0;
  for (float& x : split.x.mutable_data<float>()) x = static_cast<float>(noise.normal(n++));
  return split;
}

Tensor output_of(const Graph& graph, const Split& samples) {
  const Graph lowered = lower(graph, Mode::Evaluation).graph;
  const Values values =
      run_reference(lowered, {{graph.node(graph.placeholders()[0]).name, samples.x}}).value();
  const Value result = lowered.outputs()[0];
  return values[index(result.node)][result.index];
}

/// Running statistics that are not those of a fresh network.
Graph trained_looking(const char* model) {
  Graph graph = build_model(model, {}).value();
  const Stream noise(6, model);
  std::uint64_t n = 0;
  for (Parameter& parameter : graph.parameters())
    if (!parameter.trainable)
      for (float& value : parameter.value.mutable_data<float>())
        value += static_cast<float>(0.5 * noise.uniform(n++));
  return graph;
}

double largest(const Tensor& values) {
  double most = 0;
  for (std::int64_t i = 0; i < values.size(); ++i) most = std::max(most, std::abs(values.at(i)));
  return most;
}

double largest_difference(const Tensor& a, const Tensor& b) {
  double most = 0;
  for (std::int64_t i = 0; i < a.size(); ++i) most = std::max(most, std::abs(a.at(i) - b.at(i)));
  return most;
}

/// The same network with a fixed-point format on every operand.
Graph quantised(Graph graph) {
  Tree config = Tree::Table{{"name", "integer"}};
  for (const std::string operand : {"data_in", "weight", "bias"}) {
    config.set(operand + "_width", 6);
    config.set(operand + "_frac_width", 3);
  }
  const PassCall call =
      make_call("quantize",
                Tree::Table{{"by", "type"}, {"default", Tree::Table{{"config", config}}}})
          .value();
  EXPECT_TRUE(add_metadata(graph, {}));
  EXPECT_TRUE(run_passes(graph, {&call, 1}, {}));
  return graph;
}

/// A network with what passes need of it, and what it computes.
struct Tried {
  Tried(const char* model, bool is_quantised)
      : graph(is_quantised ? quantised(trained_looking(model)) : trained_looking(model)),
        rows(rows_for(graph, 4)),
        before(output_of(graph, rows)) {
    EXPECT_TRUE(add_metadata(graph, context()));
  }
  PassContext context() const {
    const std::filesystem::path folder = testing::TempDir();
    return {.samples = &rows, .batch_size = 4, .folder = folder, .hardware = folder / "hardware"};
  }

  Graph graph;
  Split rows;
  Tensor before;
};

void expect_promise(const Tried& tried, const PassDef& pass, const PassSample& sample) {
  Graph changed = tried.graph;
  const Result<PassCall> call = make_call(pass.name, sample.args);
  ASSERT_TRUE(call) << to_string(call.error());
  const auto reports = run_passes(changed, {&call.value(), 1}, tried.context());
  ASSERT_TRUE(reports) << to_string(reports.error());
  const Tensor after = output_of(changed, tried.rows);
  ASSERT_EQ(after.shape(), tried.before.shape());
  switch (pass.promise) {
    case Promise::MetadataOnly:
    case Promise::SameBits:
      EXPECT_TRUE(after == tried.before);
      EXPECT_EQ(std::as_const(changed).parameters(), tried.graph.parameters());
      break;
    case Promise::Close:
      for (std::int64_t i = 0; i < after.size(); ++i)
        EXPECT_NEAR(after.at(i), tried.before.at(i),
                    1e-5 * std::max(1.0, std::abs(tried.before.at(i))));
      break;
    case Promise::NewNumbers:
      EXPECT_GT(largest_difference(after, tried.before), 0);
      EXPECT_LE(largest_difference(after, tried.before), sample.within * largest(tried.before));
      break;
  }
  Graph twice = changed;
  ASSERT_TRUE(run_passes(twice, {&call.value(), 1}, tried.context()));
  EXPECT_EQ(twice, changed);
}

class Promises : public testing::TestWithParam<const PassDef*> {};

TEST_P(Promises, HoldForEverySampleOnEveryKindOfNetwork) {
  std::vector<PassSample> samples = GetParam()->samples;
  if (samples.empty()) samples.emplace_back();
  for (const char* model : {"jsc-tiny", "jsc-toy", "toy_convnet"}) {
    for (const PassSample& sample : samples) {
      if (!sample.model.empty() && sample.model != model) continue;
      const Tried tried(model, sample.is_quantised);
      SCOPED_TRACE(cat(model, " ", to_json(sample.args)));
      expect_promise(tried, *GetParam(), sample);
    }
  }
}

std::vector<const PassDef*> passes() {
  std::vector<const PassDef*> all;
  for (const PassDef& pass : all_passes()) all.push_back(&pass);
  return all;
}

INSTANTIATE_TEST_SUITE_P(Passes, Promises, testing::ValuesIn(passes()),
                         [](const auto& at) { return std::string(at.param->name); });

}  // namespace
}  // namespace chop
