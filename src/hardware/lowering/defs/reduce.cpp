// Sums, means and greatest values over whole dimensions: global pooling among them.
#include "ops/families/elementwise/reduce.hpp"
#include "hardware/lowering/matrix.hpp"

namespace chop::hardware::lowerings::reduce {
namespace {

Result<Traced> lower(LoweringCall& call) {
  CH_TRY(const std::size_t x, call.codes(0));
  const auto groups = ops::reduced_groups(call.call(), call.type(0).shape);
  Codes window;
  for (const std::vector<std::size_t>& group : groups)
    for (const std::size_t at : group) window.push_back(static_cast<std::int64_t>(at));
  const auto length = static_cast<std::int64_t>(window.size() / groups.size());
  const IntegerType& from = call.at(x).type;
  IntegerNode node{.name = call.node().name,
                   .op = "max_window",
                   .inputs = {x},
                   .attrs = {{"window", std::move(window)}},
                   .type = {.shape = call.result_shape(), .frac = from.frac},
                   .comment = call.node().op};
  if (call.node().op == "amax") return call.add(std::move(node));
  node.op = "linear";
  node.attrs["weight"] = Codes(static_cast<std::size_t>(length), 1);
  node.attrs["bias"] = {0};
  node.remark = float_remark((Interval{0, from.range().magnitude()} * length).high);
  const bool divides = call.node().op == "mean" && length > 1;
  const bool is_binary = (length & (length - 1)) == 0;
  if (divides && is_binary)
    for (std::int64_t d = length; d > 1; d /= 2) ++node.type.frac;
  CH_TRY(Traced result, call.add(std::move(node)));
  if (divides && !is_binary)
    result.pending.push_back(pending_affine(cat("mean ", call.node().name),
                                            {1.0 / static_cast<double>(length)}, {0.0}, {0.0}));
  return result;
}

}  // namespace

LoweringDef define() {
  return {.name = "reduce",
          .takes =
              [](const Node& node, const OpDef& /*op*/) {
                return node.op == "sum" || node.op == "mean" || node.op == "amax";
              },
          .lower = lower};
}

}  // namespace chop::hardware::lowerings::reduce
