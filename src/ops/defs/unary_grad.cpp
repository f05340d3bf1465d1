// dx = dy · f'(x), where f is the elementwise op named by the attribute `of`.
//
// One op serves all of them: f' is the `slope` that f's own definition gives. When f says
// that its slope reads y alone, x and y are both the output.
#include "ops/core/common.hpp"
#include "ops/core/registry.hpp"

namespace chop::ops::unary_grad {
namespace {

void forward(const ForwardCall& call) {
  const OpDef& of = *find_op(call.text("of")).value();
  const Call inner{of, call.attrs};
  const auto dy = call.x(0);
  const auto x = call.x(1);
  const auto y = call.x(2);
  const auto dx = call.y();
  for (std::size_t i = 0; i < dx.size(); ++i) dx[i] = dy[i] * of.unary.slope(x[i], y[i], inner);
}

}  // namespace

OpDef define() {
  return {
      .name = "unary_grad",
      .doc = "dx = dy · f'(x) for the elementwise op f named by `of`",
      .mase_type = MaseType::Gradient,
      .min_inputs = 3,
      .attrs = {{"of", "relu", "the op that is differentiated", true}},
      .attrs_of = "of",
      .traits = Trait::Elementwise,
      .infer = same_type,
      .forward = forward,
      .cost = per_element,
      .samples = {{.attrs = {{"of", "relu"}}, .inputs = {{{4, 5}}, {{4, 5}}, {{4, 5}}}}},
  };
}

}  // namespace chop::ops::unary_grad
