// y = m + ln Σ e^(x - m) over the dimensions `dim`, m the largest x (so nothing overflows)
#include "ops/core/costs.hpp"
#include "ops/families/elementwise/reduce.hpp"
#include "ops/families/indexing/shapes.hpp"

namespace chop::ops::logsumexp {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

void forward(const ForwardCall& call) {
  const auto groups = reduced_groups(call, call.in[0]->shape());
  const auto x = call.x(0);
  for (std::size_t k = 0; k < groups.size(); ++k) {
    double largest = -kInf;
    for (const std::size_t i : groups[k]) largest = std::max(largest, x[i]);
    const double shift = std::isinf(largest) ? 0 : largest;
    double sum = 0;
    for (const std::size_t i : groups[k]) sum += std::exp(x[i] - shift);
    call.y()[k] = shift + std::log(sum);
  }
}

/// dx = dy · e^(x - y)
void gradient(GradBuilder& g) {
  const Value below = g.add("sub", {g.input(0), expand_reduced(g, g.output())});
  g.set(0, g.add("mul", {expand_reduced(g, g.output_grad()), g.add("exp", {below})}));
}

}  // namespace

OpDef define() {
  return reduce_op({
      .name = "logsumexp",
      .doc = "y = ln Σ eˣ over the dimensions `dim`, computed without overflow; -∞ of nothing",
      .method = "logsumexp",
      .torch = "torch.logsumexp(x, dim or tuple(range(x.dim())), keepdim)",
      .infer = reduce_type,
      .forward = forward,
      .gradient = gradient,
      .cost = per_input<4, 4, 3>,
      .onnx = {{"ReduceLogSumExp", 13}},
      .samples = {{.attrs = {{"dim", Ints{0}}},
                   .inputs = {{.shape = {6}, .low = -1e4, .high = 1e4}}}},
  });
}

}  // namespace chop::ops::logsumexp
