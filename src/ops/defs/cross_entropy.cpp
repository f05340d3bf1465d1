// loss = -Σ_c q_c log p_c per row, summed or averaged over the rows, where p = softmax(logits)
// and q = (1 - label_smoothing) · onehot(target) + label_smoothing / C
#include "ops/families/layers/losses.hpp"
#include "ops/families/layers/softmax.hpp"
#include "support/text.hpp"

namespace chop::ops::cross_entropy {
namespace {

TypeList infer(const TypedCall& call) {
  const Shape& logits = call.shape(0);
  if (!is_floating(call.in[0].dtype) || call.in[1].dtype != DType::I64)
    return Error{.what = cat("cross_entropy given ", name_of(call.in[0].dtype), " logits and ",
                             name_of(call.in[1].dtype), " targets"),
                 .hint = "logits are real numbers, targets class numbers in i64"};
  if (logits.empty() || call.shape(1) != target_shape(logits))
    return Error{.what = cat("cross_entropy cannot take logits ", to_string(logits),
                             " and targets ", to_string(call.shape(1))),
                 .hint = logits.empty()
                             ? "logits are [N, C], [N, C, d1, ...] or [C]"
                             : cat("these logits need targets ", to_string(target_shape(logits)))};
  return std::vector<TensorType>{{call.in[0].dtype, {}}, call.in[0]};
}

void forward(const ForwardCall& call) {
  const Shape& shape = call.in[0]->shape();
  const Lanes lanes = lanes_of(shape, class_axis(shape));
  const double smoothing = call.real("label_smoothing");
  const auto classes = static_cast<std::int64_t>(lanes.size);
  const auto x = call.x(0);
  const auto targets = call.indices(1);
  const auto p = call.y(1);
  double total = 0;
  for (std::size_t o = 0; o < lanes.outer; ++o)
    for (std::size_t i = 0; i < lanes.inner; ++i) {
      const auto [largest, sum] = exp_sum(x, lanes, o, i);
      double all = 0;  // -Σ log p over the classes
      for (std::size_t j = 0; j < lanes.size; ++j) {
        const double log_p = x[lanes.at(o, j, i)] - largest - std::log(sum);
        p[lanes.at(o, j, i)] = std::exp(log_p);
        all -= log_p;
      }
      const std::int64_t target = targets[o * lanes.inner + i];
      if (target == call.integer("ignore_index")) continue;
      const double own = x[lanes.at(o, static_cast<std::size_t>(target), i)];
      total += (1 - smoothing) * (largest + std::log(sum) - own);
      if (smoothing > 0) total += smoothing * all / static_cast<double>(classes);
    }
  call.y(0)[0] = total / row_divisor(call, targets);
}

void gradient(GradBuilder& g) {
  Value dx =
      g.add("cross_entropy_grad", {g.output_grad(), g.output(1), g.input(1)}, g.call().attrs);
  if (g.has_output_grad(1)) {  // the probabilities are read as well
    const auto axis = static_cast<std::int64_t>(class_axis(g.shape(g.input(0))));
    const Value more = g.add("softmax_grad", {g.output_grad(1), g.output(1)}, {{"dim", axis}});
    dx = g.add("add", {dx, more});
  }
  g.set(0, dx);
}

Cost cost(const CostCall& call) {
  const std::int64_t count = numel(call.shape(0));
  const std::int64_t rows = numel(call.shape(1));
  return {.lab = 5 * count + 2 * rows, .exact = 5 * count + 2 * rows, .backward = 2 * count};
}

}  // namespace

OpDef define() {
  return {
      .name = "cross_entropy",
      .doc =
          "loss = -log softmax(logits)[target], averaged or summed over the rows; the softmax "
          "is the second result. A target outside the classes is an error, unless it is "
          "ignore_index. Costs softmax's five operations per logit, and a logarithm and an "
          "addition per row",
      .module = "CrossEntropyLoss",
      .torch =
          "F.cross_entropy(x0, x1, reduction=reduction, label_smoothing=label_smoothing, "
          "ignore_index=ignore_index)",
      .fx =
          "*xs, weight=None, size_average=None, ignore_index=ignore_index, reduce=None, "
          "reduction=reduction, label_smoothing=label_smoothing",
      .min_inputs = 2,
      .attrs = cross_entropy_attrs(),
      .infer = infer,
      .forward = forward,
      .gradient = gradient,
      .cost = cost,
      .indices =
          [](const TypedCall& call) {
            const Shape& logits = call.shape(0);
            return IndexOperand{
                .operand = 1, .sizes = {logits[class_axis(logits)]}, .from_end = false};
          },
      .onnx = {{"SoftmaxCrossEntropyLoss", 13}},
      .samples = {{.inputs = {{{4, 5}}, wholes({4}, 0, 5)}},
                  {.attrs = {{"reduction", "sum"}}, .inputs = {{{3, 2}}, wholes({3}, 0, 2)}},
                  {.attrs = {{"label_smoothing", 0.1}},
                   .inputs = {{{2, 3, 2, 1}}, wholes({2, 2, 1}, 0, 3)}},
                  {.attrs = {{"ignore_index", 0}, {"label_smoothing", 0.3}},
                   .inputs = {{{8, 3}}, wholes({8}, 0, 3)}},
                  {.attrs = {{"ignore_index", 1}}, .inputs = {{{8, 3}}, wholes({8}, 0, 3)}},
                  {.inputs = {{.shape = {3, 4}, .low = -1e4, .high = 1e4}, wholes({3}, 0, 4)}},
                  {.inputs = {{{5}}, wholes({}, 0, 5)}},
                  {.inputs = {{{1, 1}}, wholes({1}, 0, 1)}},
                  {.attrs = {{"reduction", "sum"}}, .inputs = {{{0, 3}}, wholes({0}, 0, 3)}}},
  };
}

}  // namespace chop::ops::cross_entropy
