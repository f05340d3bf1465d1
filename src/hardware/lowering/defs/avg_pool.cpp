// Means over windows of equal size: sums of codes, divided by the size. A power of two moves the
// binary point; any other size waits for the format behind it.
#include "hardware/lowering/matrix.hpp"
#include "ops/families/layers/pool.hpp"

namespace chop::hardware::lowerings::avg_pool {
namespace {

constexpr std::array<std::string_view, 3> kFixed = {"avg_pool1d", "avg_pool2d", "avg_pool3d"};
constexpr std::array<std::string_view, 3> kAdaptive = {"adaptive_avg_pool1d", "adaptive_avg_pool2d",
                                                       "adaptive_avg_pool3d"};

bool is_one_of(std::span<const std::string_view> names, const Node& node) {
  return std::find(names.begin(), names.end(), node.op) != names.end();
}

/// The elements of every window, and what their sum is divided by.
struct Means {
  Codes window = {};
  std::int64_t divisor = 0;
  std::int64_t length = 0;
};

Result<Means> means_of(const LoweringCall& call) {
  const ops::Call op = call.call();
  const bool adaptive = is_one_of(kAdaptive, call.node());
  CH_TRY(const ops::PoolShape pool, adaptive
                                        ? ops::adaptive_shape(op, call.type(0).shape, op.op.dims)
                                        : ops::pool_shape(op, call.type(0).shape, op.op.dims));
  Means means;
  bool equal = true;
  for (std::int64_t plane = 0; plane < pool.planes; ++plane)
    ops::for_each_position(pool.window, [&](auto od, auto oh, auto ow) {
      const ops::Patch patch =
          adaptive ? ops::adaptive_patch(pool.window, od, oh, ow)
                   : ops::average_patch(pool.window, op.flag("count_include_pad"), od, oh, ow);
      const std::int64_t before = std::ssize(means.window);
      ops::for_each_element(pool.window, patch, [&](auto at) {
        means.window.push_back(plane * pool.window.in.area() + at);
      });
      const std::int64_t length = std::ssize(means.window) - before;
      if (means.divisor == 0) {
        means.divisor = patch.divisor;
        means.length = length;
      }
      equal = equal && means.divisor == patch.divisor && means.length == length;
    });
  if (!equal) return Error{.what = "its windows do not all have the same size"};
  return means;
}

Result<Traced> lower(LoweringCall& call) {
  CH_TRY(const std::size_t x, call.codes(0));
  CH_TRY(Means means, means_of(call));
  const bool is_binary = (means.divisor & (means.divisor - 1)) == 0;
  int frac = call.at(x).type.frac;
  for (std::int64_t d = means.divisor; is_binary && d > 1; d /= 2) ++frac;
  IntegerNode node{.name = call.node().name,
                   .op = "linear",
                   .inputs = {x},
                   .attrs = {{"weight", Codes(static_cast<std::size_t>(means.length), 1)},
                             {"bias", {0}},
                             {"window", std::move(means.window)}},
                   .type = {.shape = call.result_shape(), .frac = frac},
                   .comment = call.node().op};
  node.remark = float_remark(means.length * call.at(x).type.range().magnitude());
  CH_TRY(Traced result, call.add(std::move(node)));
  if (!is_binary)
    result.pending.push_back(pending_affine(cat(call.node().op, " ", call.node().name),
                                            {1.0 / static_cast<double>(means.divisor)}, {0.0},
                                            {0.0}));
  return result;
}

}  // namespace

LoweringDef define() {
  return {.name = "avg_pool",
          .takes =
              [](const Node& node, const OpDef& /*op*/) {
                return is_one_of(kFixed, node) || is_one_of(kAdaptive, node);
              },
          .lower = lower};
}

}  // namespace chop::hardware::lowerings::avg_pool
