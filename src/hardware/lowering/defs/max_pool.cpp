// The greatest code of every window.
#include "hardware/lowering/lowering_def.hpp"
#include "ops/families/layers/pool.hpp"

namespace chop::hardware::lowerings::max_pool {
namespace {

Result<Traced> lower(LoweringCall& call) {
  CH_TRY(const std::size_t x, call.codes(0));
  CH_TRY(const ops::PoolShape pool,
         ops::pool_shape(call.call(), call.type(0).shape, call.call().op.dims));
  IntegerNode node{.name = call.node().name,
                   .op = "max_window",
                   .inputs = {x},
                   .type = {.shape = call.result_shape(), .frac = call.at(x).type.frac}};
  for (std::int64_t plane = 0; plane < pool.planes; ++plane)
    ops::for_each_position(pool.window, [&](auto od, auto oh, auto ow) {
      ops::for_each_tap(pool.window, od, oh, ow, [&](std::int64_t at) {
        node.attrs["window"].push_back(at < 0 ? -1 : plane * pool.window.in.area() + at);
      });
    });
  return call.add(std::move(node));
}

}  // namespace

LoweringDef define() {
  return {.name = "max_pool",
          .takes =
              [](const Node& node, const OpDef& /*op*/) {
                return node.op == "max_pool1d" || node.op == "max_pool2d" ||
                       node.op == "max_pool3d";
              },
          .lower = lower};
}

}  // namespace chop::hardware::lowerings::max_pool
