// dx of amax and amin: each dy shared equally among the elements of x that equal y.
#include "ops/families/elementwise/reduce.hpp"
#include "ops/families/indexing/shapes.hpp"

namespace chop::ops::extreme_grad {
namespace {

TypeList infer(const TypedCall& call) {
  CH_CHECK(need_real(call));
  CH_TRY(const std::vector<bool> axes, axes_of(call.ints("dim"), call.shape(1).size()));
  const std::int64_t results = numel(reduced_shape(call.shape(1), axes, /*keepdim=*/true));
  if (numel(call.shape(0)) != results || numel(call.shape(2)) != results)
    return Error{.what = cat("extreme_grad of ", to_string(call.shape(1)), " given dy ",
                             to_string(call.shape(0)), " and y ", to_string(call.shape(2))),
                 .hint = cat("there are ", results, " results")};
  return std::vector<TensorType>{{call.in[0].dtype, call.shape(1)}};
}

void forward(const ForwardCall& call) {
  const auto groups = reduced_groups(call, call.in[1]->shape());
  const auto dy = call.x(0);
  const auto x = call.x(1);
  const auto y = call.x(2);
  const auto dx = call.y();
  for (std::size_t k = 0; k < groups.size(); ++k) {
    double ties = 0;
    for (const std::size_t i : groups[k]) ties += x[i] == y[k] ? 1 : 0;
    for (const std::size_t i : groups[k]) dx[i] = x[i] == y[k] ? dy[k] / ties : 0;
  }
}

}  // namespace

OpDef define() {
  return {
      .name = "extreme_grad",
      .doc = "dx of amax and amin, given dy, x and y: dy shared equally among the x equal to y",
      .mase_type = MaseType::Gradient,
      .min_inputs = 3,
      .max_inputs = 3,
      .attrs = {{"dim", Ints{}, "the dimensions that were reduced; empty means all"}},
      .infer = infer,
      .forward = forward,
      .cost = per_element,
      .samples = {{.attrs = {{"dim", Ints{1}}},
                   .inputs = {{{2}},
                              {.shape = {2, 3}, .low = 1, .high = 1},
                              {.shape = {2}, .low = 1, .high = 1}}},
                  {.inputs = {{.shape = {}}, {{2, 3}}, {.shape = {}}}}},
  };
}

}  // namespace chop::ops::extreme_grad
