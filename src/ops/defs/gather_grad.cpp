// dx of gather, given dy and indices: each dy is added to the element it was read from. What was
// read from outside goes nowhere.
#include "ops/core/checks.hpp"
#include "ops/families/indexing/indexing.hpp"

namespace chop::ops::gather_grad {
namespace {

TypeList infer(const TypedCall& call) {
  CH_CHECK(need_whole(call, 1));
  const Shape& x = call.ints("input_shape");
  CH_CHECK(check_size(call, x));
  CH_TRY(const std::int64_t dim, normal_axis(call.integer("dim"), x.size()));
  Shape y(x.begin(), x.begin() + dim);
  y.insert(y.end(), call.shape(1).begin(), call.shape(1).end());
  y.insert(y.end(), x.begin() + dim + 1, x.end());
  CH_CHECK(check_shape(call, 0, y));
  return std::vector<TensorType>{{call.in[0].dtype, x}};
}

void forward(const ForwardCall& call) {
  const Shape& shape = call.out[0].shape();
  const std::size_t axis = axis_of(call.integer("dim"), shape.size()).value();
  const Lanes to = lanes_of(shape, axis);
  const auto dy = call.x(0);
  const auto dx = call.y();
  std::size_t at = 0;
  for (std::size_t o = 0; o < to.outer; ++o)
    for (const std::int64_t index : call.indices(1)) {
      const auto found = checked_index(index, shape[axis]);
      for (std::size_t i = 0; i < to.inner; ++i, ++at)
        if (found) dx[to.at(o, *found, i)] += dy[at];
    }
}

void gradient(GradBuilder& g) {
  g.set(0, g.add("gather", {g.output_grad(), g.input(1)}, {{"dim", g.call().integer("dim")}}));
}

}  // namespace

OpDef define() {
  return {
      .name = "gather_grad",
      .doc = "dx of gather, given dy and indices: each dy is added where it was read from",
      .mase_type = MaseType::Gradient,
      .min_inputs = 2,
      .attrs = {{"dim", 0, "the dimension of x that the indices count along"},
                {"input_shape", Ints{}, "shape of x", true}},
      .infer = infer,
      .forward = forward,
      .gradient = gradient,
      .cost = [](const CostCall& call) -> Cost { return {.exact = numel(call.shape(0))}; },
      .samples = {{.attrs = {{"dim", -2}, {"input_shape", Ints{2, 3, 2}}},
                   .inputs = {{{2, 4, 2}}, wholes({4}, -3, 3)}},
                  {.attrs = {{"input_shape", Ints{3}}},
                   .inputs = {{{2, 0}}, wholes({2, 0}, 0, 1)}}},
  };
}

}  // namespace chop::ops::gather_grad
