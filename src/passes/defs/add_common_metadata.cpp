// add_common_metadata: type and op of every node; shape, dtype and precision of its operands.
//
// The reference system runs the network to learn its shapes; here they are inferred, so no
// data is needed and no running statistic moves.
#include "analysis/common_metadata.hpp"
#include "passes/pass_def.hpp"

namespace chop::passes::add_common_metadata {
namespace {

Result<PassOutput> run(Graph& graph, const Args& args, const PassContext& context) {
  const std::int64_t batch =
      args.has("batch_size") ? args.integer("batch_size") : context.batch_size;
  CH_CHECK(describe_nodes(graph, batch));
  return PassOutput{};
}

}  // namespace

PassDef define() {
  return {.name = "add_common_metadata",
          .doc = "write down type, op, shapes and precisions of every node",
          .args = {{.name = "batch_size",
                    .doc = "rows in the first dimension; the run's batch size when absent",
                    .kind = FieldKind::Integer,
                    .bounds = {.least = 1}}},
          .run = run};
}

}  // namespace chop::passes::add_common_metadata
