// What every pass promises, held against networks: an analysis changes not a bit of what a
// network computes, and passes that may change outputs change them by no more than they say.
#include <cmath>

#include "compile/lower.hpp"
#include "runtime/reference.hpp"
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

/// Arguments for passes that need some.
Tree arguments(std::string_view pass) {
  Tree args = Tree::table();
  if (pass == "profile_statistics") {
    args.set("by", "type");
    args.set("target_weight_nodes", Tree::List{"linear"});
    args.set("target_activation_nodes", Tree::List{"relu"});
    args.set("weight_statistics", Tree::table()).set("range_min_max", Tree::table());
    args.set("activation_statistics", Tree::table()).set("variance_online", Tree::table());
  }
  if (pass == "quantize") args.set("by", "type");
  if (pass == "plot_graph") args.set("file_name", testing::TempDir() + "chop_promise.dot");
  if (pass == "report_graph") args.set("file_name", testing::TempDir() + "chop_promise.txt");
  return args;
}

TEST(Promises, HoldForEveryPassOnEveryKindOfNetwork) {
  for (const char* model : {"jsc-tiny", "jsc-toy", "toy_convnet"}) {
    Graph graph = trained_looking(model);
    const Split samples = rows_for(graph, 4);
    const PassContext context{.samples = &samples, .batch_size = 4};
    ASSERT_TRUE(add_metadata(graph, context));
    const Tensor before = output_of(graph, samples);
    for (const PassDef& pass : all_passes()) {
      SCOPED_TRACE(cat(model, " ", pass.name));
      Graph changed = graph;
      const PassCall call = make_call(pass.name, arguments(pass.name)).value();
      const auto reports = run_passes(changed, {&call, 1}, context);
      ASSERT_TRUE(reports) << to_string(reports.error());
      const Tensor after = output_of(changed, samples);
      ASSERT_EQ(after.shape(), before.shape());
      if (pass.promise == Promise::MetadataOnly || pass.promise == Promise::SameBits) {
        EXPECT_TRUE(after == before);
        EXPECT_EQ(std::as_const(changed).parameters(), std::as_const(graph).parameters());
      }
      for (std::int64_t i = 0; pass.promise == Promise::Close && i < after.size(); ++i) {
        EXPECT_NEAR(after.at(i), before.at(i), 1e-5 * std::max(1.0, std::abs(before.at(i))));
      }
      Graph twice = changed;
      ASSERT_TRUE(run_passes(twice, {&call, 1}, context));
      EXPECT_EQ(twice, changed);
    }
  }
}

}  // namespace
}  // namespace chop
