// dx of max pooling, given dy and x: each dy goes to the element that was the maximum.
#include "ops/core/checks.hpp"
#include "ops/families/layers/pool.hpp"

namespace chop::ops::max_pool_grad {
namespace {

std::size_t dims(const Call& call) {
  return call.ints("kernel_size").size();
}

TypeList infer(const TypedCall& call) {
  if (dims(call) < 1 || dims(call) > 3)
    return Error{.what = "max_pool_grad needs one to three entries in kernel_size"};
  CH_TRY(const PoolShape pool, pool_shape(call, call.shape(1), dims(call)));
  CH_CHECK(check_shape(call, 0, with_image(call.shape(1), dims(call), pool.window.out)));
  return std::vector<TensorType>{call.in[1]};
}

void forward(const ForwardCall& call) {
  const PoolShape pool = pool_shape(call, call.in[1]->shape(), dims(call)).value();
  const Window& win = pool.window;
  const auto image = static_cast<std::size_t>(win.in.area());
  const auto dy = call.x(0);
  std::size_t out = 0;
  for (std::int64_t plane = 0; plane < pool.planes; ++plane) {
    const auto x = call.x(1).subspan(static_cast<std::size_t>(plane) * image, image);
    const auto dx = call.y().subspan(static_cast<std::size_t>(plane) * image, image);
    for_each_position(win, [&](auto... position) {
      if (const std::int64_t at = largest_in(win, x, position...); at >= 0) dx[at] += dy[out];
      ++out;
    });
  }
}

/// `lab` is the reference system's count: the window for every element of the input.
Cost cost(const CostCall& call) {
  const std::int64_t taps = product(call.ints("kernel_size"), 0);
  return {.lab = numel(call.shape(1)) * taps, .exact = numel(call.shape(0)) * taps};
}

}  // namespace

OpDef define() {
  return {
      .name = "max_pool_grad",
      .doc = "dx of max pooling, given dy and x: each dy goes to the maximum of its window",
      .mase_type = MaseType::Gradient,
      .min_inputs = 2,
      .attrs = {{"kernel_size", Ints{}, "size of the window, one entry per dimension", true},
                {"stride", Ints{}, "step between windows; empty: the kernel's size"},
                {"padding", Ints{0}, "added at both ends of each dimension"},
                {"dilation", Ints{1}, "distance between neighbouring taps"},
                {"ceil_mode", false, "whether a last window may hang over the end"}},
      .infer = infer,
      .forward = forward,
      .cost = cost,
      .samples = {{.attrs = {{"kernel_size", Ints{3}}, {"stride", Ints{2}}},
                   .inputs = {{{2, 2, 3}}, {.shape = {2, 2, 7}, .distinct = true}}},
                  {.attrs = {{"kernel_size", Ints{2, 2}}, {"padding", Ints{1}}},
                   .inputs = {{{1, 2, 3, 2}}, {.shape = {1, 2, 4, 3}, .distinct = true}}}},
  };
}

}  // namespace chop::ops::max_pool_grad
