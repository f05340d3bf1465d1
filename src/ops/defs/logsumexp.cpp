// y = m + ln Σ e^(x - m) over the dimensions `dim`, m the largest x (so nothing overflows)
#include "ops/core/rows.hpp"
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

Cost cost(const CostCall& call) {
  const std::int64_t count = numel(call.shape(0));
  return {.lab = 4 * count, .exact = 4 * count, .backward = 3 * count};
}

}  // namespace

OpDef define() {
  return {
      .name = "logsumexp",
      .doc = "y = ln Σ eˣ over the dimensions `dim`, computed without overflow; -∞ of nothing",
      .mase_type = MaseType::BuiltinFunc,
      .function = "torch.logsumexp",
      .method = "logsumexp",
      .torch = "torch.logsumexp(x, dim or tuple(range(x.dim())), keepdim)",
      .attrs = reduce_attrs(),
      .infer = reduce_type,
      .forward = forward,
      .gradient = gradient,
      .cost = cost,
      .rows_apart = reduced_by_row,
      .onnx = {{"ReduceLogSumExp", 13, {{"axes", "dim"}, {"keepdims", "keepdim"}}}},
      .samples = {{.inputs = {{{4, 5}}}},
                  {.attrs = {{"dim", Ints{1}}}, .inputs = {{{4, 5}}}},
                  {.attrs = {{"dim", Ints{0, -1}}}, .inputs = {{{2, 3, 2}}}},
                  {.attrs = {{"dim", Ints{-2}}, {"keepdim", true}}, .inputs = {{{2, 3, 2}}}},
                  {.attrs = {{"dim", Ints{0}}},
                   .inputs = {{.shape = {6}, .low = -1e4, .high = 1e4}}},
                  {.attrs = {{"keepdim", true}}, .inputs = {{{2, 1}}}},
                  {.attrs = {{"dim", Ints{1}}}, .inputs = {{{0, 3}}}}},
  };
}

}  // namespace chop::ops::logsumexp
