// y = x                         when x > 0
//     alpha (e^(x / alpha) - 1)  otherwise
#include "ops/core/common.hpp"
#include "ops/core/costs.hpp"

namespace chop::ops::celu {
namespace {

double value(double x, const Call& call) {
  const double alpha = call.real("alpha");
  return x <= 0 ? alpha * std::expm1(x / alpha) : x;
}

double slope(double x, double /*y*/, const Call& call) {
  return x <= 0 ? std::exp(x / call.real("alpha")) : 1.0;
}

TypeList infer(const TypedCall& call) {
  if (call.real("alpha") == 0)
    return Error{.what = "celu divides by alpha, which is 0", .hint = "the usual alpha is 1"};
  return unary_type(call);
}

}  // namespace

OpDef define() {
  return unary_op({
      .name = "celu",
      .doc = "y = x if x > 0 else alpha · (exp(x / alpha) - 1)",
      .module = "CELU",
      .torch = "F.celu(x, alpha)",
      .fx = "x, alpha=alpha, inplace=inplace",
      .attrs = {{"alpha", 1.0, "minus the limit for x towards -∞"}, inplace_attr()},
      .unary = {value, slope},
      .infer = infer,
      .cost = elementwise<5>,
      .onnx = {{"Celu", 12, {{"alpha", "alpha"}}}},
      .repr = named_arguments,
      .samples = {{.inputs = {{.shape = {4, 5}, .avoid = {0.0}}}},
                  {.attrs = {{"alpha", 0.3}}, .inputs = {{.shape = {2, 1, 3}, .avoid = {0.0}}}},
                  {.attrs = {{"alpha", 2.5}, {"inplace", true}},
                   .inputs = {{.shape = {7}, .low = -1e4, .high = 1e4, .avoid = {0.0}}}},
                  {.inputs = {{.shape = {0}}}}},
  });
}

}  // namespace chop::ops::celu
