// dx of prod: dx[i] = dy · the product of all other x of the group, which needs no division.
#include "ops/core/costs.hpp"
#include "ops/families/elementwise/reduce.hpp"

namespace chop::ops::prod_grad {
namespace {

void forward(const ForwardCall& call) {
  const auto groups = reduced_groups(call, call.in[1]->shape());
  const auto dy = call.x(0);
  const auto x = call.x(1);
  const auto dx = call.y();
  for (std::size_t k = 0; k < groups.size(); ++k) {
    double before = 1;
    for (const std::size_t i : groups[k]) {
      dx[i] = before;
      before *= x[i];
    }
    double behind = 1;
    for (std::size_t j = groups[k].size(); j-- > 0;) {
      const std::size_t i = groups[k][j];
      dx[i] *= behind * dy[k];
      behind *= x[i];
    }
  }
}

}  // namespace

OpDef define() {
  return reduce_grad_op({
      .name = "prod_grad",
      .doc = "dx of prod, given dy and x: dy · the product of all other x",
      .min_inputs = 2,
      .forward = forward,
      .cost = per_input<3, 4, 0, 1>,
      .samples = {{.attrs = {{"dim", Ints{1}}}, .inputs = {{{2}}, {{2, 3}}}},
                  {.inputs = {{.shape = {}}, {{2, 3}}}},
                  {.attrs = {{"dim", Ints{0}}}, .inputs = {{{3}}, {{0, 3}}}}},
  });
}

}  // namespace chop::ops::prod_grad
