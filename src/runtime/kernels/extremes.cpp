// amax, amin, argmax and argmin of float32. NaN wins; of equal elements the first counts, unless
// `select_last`.
//
// Where neighbours lie in different results, a row of results is compared with rows of x, in
// vectors. Where they are reduced, 16 results run side by side, each over every 16th element.
#include "ops/families/indexing/shapes.hpp"
#include "runtime/elementwise.hpp"
#include "runtime/kernel.hpp"
#include "runtime/loops.hpp"

namespace chop::runtime::kernels {
namespace {

struct Larger {
  static constexpr float kWorst = -std::numeric_limits<float>::infinity();
  static bool better(float a, float b) { return a > b; }
};
struct Smaller {
  static constexpr float kWorst = std::numeric_limits<float>::infinity();
  static bool better(float a, float b) { return a < b; }
};

/// The better of the best so far and x.
template <class Order>
float pick(float best, float x) {
  return Order::better(x, best) || x != x ? x : best;
}

template <class Order>
float best_of_row(const float* x, std::int64_t count, float best) {
  constexpr std::int64_t kLanes = 16;
  std::int64_t i = 0;
  if (count >= kLanes) {
    float lane[kLanes];
    std::fill(lane, lane + kLanes, best);
    for (; i + kLanes <= count; i += kLanes)
      for (std::int64_t k = 0; k < kLanes; ++k) lane[k] = pick<Order>(lane[k], x[i + k]);
    for (const float value : lane) best = pick<Order>(best, value);
  }
  for (; i < count; ++i) best = pick<Order>(best, x[i]);
  return best;
}

template <class Order>
Kernel make_extreme(const KernelCall& call) {
  if (call.in[0].dtype != DType::F32) return {};
  const Shape& in = call.shape(0);
  if (numel(call.out[0].shape) == 0)
    return [](const KernelArgs& /*args*/, const RunContext& /*context*/) {};
  const std::vector<bool> axes = ops::axes_of(call.ints("dim"), in.size()).value();
  const Reduction s = reduction_loops(in, ops::reduced_shape(in, axes, /*keepdim=*/true));
  const std::int64_t tasks = s.outputs();
  const std::int64_t rows = s.rows();
  const bool worth_it = numel(in) > kChunk;
  return [=](const KernelArgs& args, const RunContext& context) {
    parallel_for(worth_it ? context.threads : 1, tasks, [&](std::int64_t task) {
      const float* const x = args.input(0) + s.kept.offset(0, s.kept.depth(), task);
      float* const y = args.output() + s.kept.offset(1, s.kept.depth(), task);
      const auto row = [&](std::int64_t r) {
        return x + s.reduced.offset(0, s.reduced.depth(), r);
      };
      if (s.inner_reduced) {
        float best = Order::kWorst;
        for (std::int64_t r = 0; r < rows; ++r) best = best_of_row<Order>(row(r), s.inner, best);
        *y = best;
        return;
      }
      std::fill(y, y + s.inner, Order::kWorst);
      for (std::int64_t r = 0; r < rows; ++r) {
        const float* const from = row(r);
        for (std::int64_t i = 0; i < s.inner; ++i) y[i] = pick<Order>(y[i], from[i]);
      }
    });
  };
}

/// Whether x comes before the best so far, which came first.
template <class Order>
bool displaces(float x, float best, bool last) {
  if (x == best || (x != x && best != best)) return last;
  return best == best && (x != x || Order::better(x, best));
}

template <class Order>
Kernel make_arg(const KernelCall& call) {
  if (call.in[0].dtype != DType::F32) return {};
  const Shape& in = call.shape(0);
  const ops::Lanes lanes = ops::lanes_of(in, ops::axis_of(call.integer("dim"), in.size()).value());
  const bool last = call.flag("select_last");
  const auto width = static_cast<std::int64_t>(lanes.inner);
  constexpr std::int64_t kColumns = 256;
  const std::int64_t blocks = (width + kColumns - 1) / kColumns;
  const bool worth_it = numel(in) > kChunk;
  return [=](const KernelArgs& args, const RunContext& context) {
    const std::int64_t tasks = static_cast<std::int64_t>(lanes.outer) * blocks;
    parallel_for(worth_it ? context.threads : 1, tasks, [&](std::int64_t task) {
      const std::int64_t first = task % blocks * kColumns;
      const std::int64_t columns = std::min(kColumns, width - first);
      const float* x =
          args.input(0) + task / blocks * static_cast<std::int64_t>(lanes.size) * width + first;
      auto* const y = args.output<std::int64_t>() + task / blocks * width + first;
      float best[kColumns];
      std::copy(x, x + columns, best);
      std::fill(y, y + columns, 0);
      for (std::size_t j = 1; j < lanes.size; ++j) {
        x += width;
        for (std::int64_t i = 0; i < columns; ++i)
          if (displaces<Order>(x[i], best[i], last)) {
            best[i] = x[i];
            y[i] = static_cast<std::int64_t>(j);
          }
      }
    });
  };
}

}  // namespace

std::vector<KernelDef> extremes() {
  return {{"amax", make_extreme<Larger>},
          {"amin", make_extreme<Smaller>},
          {"argmax", make_arg<Larger>},
          {"argmin", make_arg<Smaller>}};
}

}  // namespace chop::runtime::kernels
