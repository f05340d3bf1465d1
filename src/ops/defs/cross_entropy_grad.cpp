// dlogits = dloss · (p - q) per row, divided by the number of rows for "mean"; p is the softmax
// cross_entropy kept, q its smoothed one-hot target
#include "ops/core/checks.hpp"
#include "ops/core/costs.hpp"
#include "ops/families/layers/losses.hpp"

namespace chop::ops::cross_entropy_grad {
namespace {

TypeList infer(const TypedCall& call) {
  const Shape& logits = call.shape(1);
  if (!is_floating(call.in[0].dtype) || !is_floating(call.in[1].dtype) ||
      call.in[2].dtype != DType::I64 || logits.empty())
    return Error{.what =
                     cat("cross_entropy_grad given probabilities ", to_string(logits), " of ",
                         name_of(call.in[1].dtype), " and targets of ", name_of(call.in[2].dtype))};
  CH_CHECK(check_shape(call, 0, {}));
  CH_CHECK(check_shape(call, 2, target_shape(logits)));
  return std::vector<TensorType>{call.in[1]};
}

void forward(const ForwardCall& call) {
  const Shape& shape = call.in[1]->shape();
  const Lanes lanes = lanes_of(shape, class_axis(shape));
  const double smoothing = call.real("label_smoothing");
  const auto classes = static_cast<std::int64_t>(lanes.size);
  const auto p = call.x(1);
  const auto targets = call.indices(2);
  const auto dx = call.y();
  const double scale = call.x(0)[0] / row_divisor(call, targets);
  for (std::size_t o = 0; o < lanes.outer; ++o)
    for (std::size_t i = 0; i < lanes.inner; ++i) {
      const std::int64_t target = targets[o * lanes.inner + i];
      if (target == call.integer("ignore_index")) continue;  // dx is zero there
      const bool known = target >= 0 && target < classes;
      for (std::size_t j = 0; j < lanes.size; ++j) {
        const double hit = static_cast<std::int64_t>(j) == target ? 1.0 : 0.0;
        const double q = (1 - smoothing) * hit + smoothing / static_cast<double>(classes);
        dx[lanes.at(o, j, i)] =
            known ? scale * (p[lanes.at(o, j, i)] - q) : std::numeric_limits<double>::quiet_NaN();
      }
    }
}

}  // namespace

OpDef define() {
  return {
      .name = "cross_entropy_grad",
      .doc =
          "dlogits = dloss · (p - q), given dloss, the probabilities p and the targets, q the "
          "one-hot targets after smoothing; divided by the number of rows for \"mean\"",
      .mase_type = MaseType::Gradient,
      .min_inputs = 3,
      .attrs = cross_entropy_attrs(),
      .infer = infer,
      .forward = forward,
      .cost = per_input<2, 2, 0, 1>,
      .samples =
          {{.inputs = {{.shape = {}}, {.shape = {4, 5}, .low = 0, .high = 1}, wholes({4}, 0, 5)}},
           {.attrs = {{"reduction", "sum"}, {"label_smoothing", 0.2}},
            .inputs = {{.shape = {}},
                       {.shape = {2, 3, 2}, .low = 0, .high = 1},
                       wholes({2, 2}, 0, 3)}}},
  };
}

}  // namespace chop::ops::cross_entropy_grad
