// The pass profile_statistics with four statistics of the inputs of every relu and linear node.
#include <array>
#include <memory>

#include "network.hpp"
#include "passes/manager.hpp"

namespace chop::works {
namespace {

constexpr std::array<const char*, 4> kStatistics = {"variance_online", "range_min_max",
                                                    "range_quantile", "abs_mean"};

Result<PassCall> profile_call(std::int64_t rows) {
  Tree statistics = Tree::table();
  for (const char* name : kStatistics) statistics.set(name, Tree::table());
  Tree args = Tree::table();
  args.set("by", "type");
  args.set("target_activation_nodes", Tree::List{"relu", "linear"});
  args.set("activation_statistics", std::move(statistics));
  args.set("num_samples", rows);
  return make_call("profile_statistics", args);
}

Result<Numbers> measure(const WorkArgs& args, const Split& jets) {
  CH_TRY(Graph graph, network_of(args));
  const PassContext context{
      .samples = &jets, .batch_size = 256, .threads = int(args.number("threads", 1))};
  CH_CHECK(add_metadata(graph, context));
  CH_TRY(const PassCall call, profile_call(jets.rows()));
  Status status;
  const double seconds = seconds_of([&] {
    if (const auto reports = run_passes(graph, {&call, 1}, context); !reports)
      status = reports.error();
  });
  CH_CHECK(std::move(status));
  return Numbers{{"seconds", seconds}};
}

Result<PreparedWork> prepare(const WorkArgs& args) {
  const std::int64_t rows = args.number("rows", 1'000'000);
  const auto jets = std::make_shared<Split>(
      Split{.x = Tensor(DType::F32, {rows, 16}), .y = Tensor(DType::I64, {rows})});
  fill_normal(jets->x.mutable_data<float>());
  CH_TRY(const Graph graph, network_of(args));
  CH_TRY(const Numbers warm, measure(args, *jets));
  return PreparedWork{.facts = {{"parameters", double(graph.parameter_count())}},
                      .measure = [args, jets] { return measure(args, *jets); }};
}

}  // namespace

WorkDef profile_statistics() {
  return {.name = "profile_statistics",
          .doc = "model=, rows=, threads=: seconds for four statistics of every relu and linear",
          .prepare = prepare};
}

}  // namespace chop::works
