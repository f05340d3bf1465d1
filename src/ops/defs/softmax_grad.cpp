// dx = y · (dy - Σ dy·y) along `dim`, given dy and y = softmax(x)
#include "ops/families/indexing/shapes.hpp"

namespace chop::ops::softmax_grad {
namespace {

void forward(const ForwardCall& call) {
  const Shape& shape = call.in[0]->shape();
  const Lanes lanes = lanes_of(shape, axis_of(call.integer("dim"), shape.size()).value());
  const auto dy = call.x(0);
  const auto y = call.x(1);
  const auto dx = call.y();
  for (std::size_t o = 0; o < lanes.outer; ++o)
    for (std::size_t i = 0; i < lanes.inner; ++i) {
      double sum = 0;
      for (std::size_t j = 0; j < lanes.size; ++j)
        sum += dy[lanes.at(o, j, i)] * y[lanes.at(o, j, i)];
      for (std::size_t j = 0; j < lanes.size; ++j)
        dx[lanes.at(o, j, i)] = y[lanes.at(o, j, i)] * (dy[lanes.at(o, j, i)] - sum);
    }
}

Cost cost(const CostCall& call) {
  const std::int64_t count = numel(call.shape(0));
  return {.lab = 4 * count, .exact = 4 * count};
}

}  // namespace

OpDef define() {
  return {
      .name = "softmax_grad",
      .doc = "dx = y · (dy - Σ dy·y) along `dim`, given dy and y = softmax(x)",
      .mase_type = MaseType::Gradient,
      .min_inputs = 2,
      .max_inputs = 2,
      .attrs = {{"dim", std::int64_t{-1}, "the dimension that sums to one", true}},
      .infer = same_type,
      .forward = forward,
      .cost = cost,
      .samples = {{.attrs = {{"dim", std::int64_t{1}}}, .inputs = {{{4, 5}}, {{4, 5}}}},
                  {.attrs = {{"dim", std::int64_t{-2}}}, .inputs = {{{2, 3, 4}}, {{2, 3, 4}}}}},
  };
}

}  // namespace chop::ops::softmax_grad
