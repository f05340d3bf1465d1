// dx of adaptive average pooling, given dy: each dy is shared out equally over its patch.
#include "ops/core/checks.hpp"
#include "ops/families/layers/pool.hpp"

namespace chop::ops::adaptive_avg_pool_grad {
namespace {

std::size_t dims(const Call& call) {
  return call.ints("output_size").size();
}

TypeList infer(const TypedCall& call) {
  if (dims(call) < 1 || dims(call) > 3)
    return Error{.what = "adaptive_avg_pool_grad needs one to three entries in output_size"};
  const Shape& x = call.ints("input_shape");
  CH_TRY(const PoolShape pool, adaptive_shape(call, x, dims(call)));
  CH_CHECK(check_shape(call, 0, with_image(x, dims(call), pool.window.out)));
  return std::vector<TensorType>{{call.in[0].dtype, x}};
}

void forward(const ForwardCall& call) {
  const PoolShape pool = adaptive_shape(call, call.ints("input_shape"), dims(call)).value();
  share_out(
      pool, [&](auto... position) { return adaptive_patch(pool.window, position...); }, call.x(0),
      call.y());
}

Cost cost(const CostCall& call) {
  const std::int64_t inputs = numel(call.out[0].shape);
  return {.lab = inputs, .exact = inputs + numel(call.shape(0))};
}

}  // namespace

OpDef define() {
  return {
      .name = "adaptive_avg_pool_grad",
      .doc = "dx of adaptive average pooling, given dy: each dy is shared out over its patch",
      .mase_type = MaseType::Gradient,
      .attrs = {{"input_shape", Ints{}, "shape of x", true},
                {"output_size", Ints{}, "size of dy, one entry per dimension", true}},
      .infer = infer,
      .forward = forward,
      .cost = cost,
      .samples = {{.attrs = {{"input_shape", Ints{2, 2, 7}}, {"output_size", Ints{3}}},
                   .inputs = {{{2, 2, 3}}}},
                  {.attrs = {{"input_shape", Ints{1, 2, 4, 3}}, {"output_size", Ints{3, 1}}},
                   .inputs = {{{1, 2, 3, 1}}}}},
  };
}

}  // namespace chop::ops::adaptive_avg_pool_grad
