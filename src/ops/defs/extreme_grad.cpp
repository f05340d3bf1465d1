// dx of amax and amin: each dy shared equally among the elements of x that equal y.
#include "ops/families/elementwise/reduce.hpp"

namespace chop::ops::extreme_grad {
namespace {

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
  return reduce_grad_op({
      .name = "extreme_grad",
      .doc = "dx of amax and amin, given dy, x and y: dy shared equally among the x equal to y",
      .min_inputs = 3,
      .forward = forward,
      .cost = per_element,
      .samples = {{.attrs = {{"dim", Ints{1}}},
                   .inputs = {{{2}},
                              {.shape = {2, 3}, .low = 1, .high = 1},
                              {.shape = {2}, .low = 1, .high = 1}}},
                  {.inputs = {{.shape = {}}, {{2, 3}}, {.shape = {}}}}},
  });
}

}  // namespace chop::ops::extreme_grad
