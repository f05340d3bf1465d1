// dx of average pooling, given dy: each dy is shared out equally over its window.
#include "ops/core/checks.hpp"
#include "ops/families/layers/pool.hpp"

namespace chop::ops::avg_pool_grad {
namespace {

std::size_t dims(const Call& call) {
  return call.ints("kernel_size").size();
}

TypeList infer(const TypedCall& call) {
  if (dims(call) < 1 || dims(call) > 3)
    return Error{.what = "avg_pool_grad needs one to three entries in kernel_size"};
  const Shape& x = call.ints("input_shape");
  CH_TRY(const PoolShape pool, pool_shape(call, x, dims(call)));
  CH_CHECK(check_shape(call, 0, with_image(x, dims(call), pool.window.out)));
  return std::vector<TensorType>{{call.in[0].dtype, x}};
}

void forward(const ForwardCall& call) {
  const PoolShape pool = pool_shape(call, call.ints("input_shape"), dims(call)).value();
  const bool include_pad = call.flag("count_include_pad");
  share_out(
      pool, [&](auto... position) { return average_patch(pool.window, include_pad, position...); },
      call.x(0), call.y());
}

/// `lab` is the reference system's count: the window for every element of the input.
Cost cost(const CostCall& call) {
  const std::int64_t taps = product(call.ints("kernel_size"), 0);
  return {.lab = numel(call.out[0].shape) * taps, .exact = numel(call.shape(0)) * (taps + 1)};
}

}  // namespace

OpDef define() {
  return {
      .name = "avg_pool_grad",
      .doc = "dx of average pooling, given dy: each dy is shared out equally over its window",
      .mase_type = MaseType::Gradient,
      .attrs = {{"input_shape", Ints{}, "shape of x", true},
                {"kernel_size", Ints{}, "size of the window, one entry per dimension", true},
                {"stride", Ints{}, "step between windows; empty: the kernel's size"},
                {"padding", Ints{0}, "added at both ends of each dimension"},
                {"ceil_mode", false, "whether a last window may hang over the end"},
                {"count_include_pad", true, "whether padding counts as values of the window"}},
      .infer = infer,
      .forward = forward,
      .cost = cost,
      .samples = {{.attrs = {{"input_shape", Ints{2, 2, 7}},
                             {"kernel_size", Ints{3}},
                             {"stride", Ints{2}}},
                   .inputs = {{{2, 2, 3}}}},
                  {.attrs = {{"input_shape", Ints{1, 2, 4, 3}},
                             {"kernel_size", Ints{2, 2}},
                             {"padding", Ints{1}},
                             {"count_include_pad", false}},
                   .inputs = {{{1, 2, 3, 2}}}}},
  };
}

}  // namespace chop::ops::avg_pool_grad
