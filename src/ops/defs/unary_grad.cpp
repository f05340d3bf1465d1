// dx = dy · f'(x), where f is the elementwise op named by the attribute `of`.
//
// One op serves all of them: f' is the `slope` that f's own definition gives. When f says
// that its slope reads y alone, x and y are both the output.
#include "ops/core/checks.hpp"
#include "ops/core/common.hpp"
#include "ops/core/registry.hpp"
#include "ops/families/indexing/shapes.hpp"

namespace chop::ops::unary_grad {
namespace {

TypeList infer(const TypedCall& call) {
  CH_CHECK(need_real(call));
  CH_TRY(const OpDef* of, find_op(call.text("of")));
  if (of->unary.slope == nullptr)
    return Error{.what = cat("unary_grad of ", of->name, ", which has no slope")};
  CH_CHECK(check_shape(call, 1, call.shape(0)));
  CH_CHECK(check_shape(call, 2, call.shape(0)));
  return same_type(call);
}

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
      .infer = infer,
      .forward = forward,
      .cost = per_element,
      .samples = {{.attrs = {{"of", "relu"}}, .inputs = {{{4, 5}}, {{4, 5}}, {{4, 5}}}}},
  };
}

}  // namespace chop::ops::unary_grad
