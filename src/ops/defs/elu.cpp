// y = x               when x > 0
//     alpha (eˣ - 1)  otherwise
#include "ops/core/common.hpp"
#include "ops/core/costs.hpp"

namespace chop::ops::elu {
namespace {

double value(double x, const Call& call) {
  return x <= 0 ? call.real("alpha") * std::expm1(x) : x;
}

double slope(double x, double /*y*/, const Call& call) {
  return x <= 0 ? call.real("alpha") * std::exp(x) : 1.0;  // alpha at 0
}

}  // namespace

OpDef define() {
  return unary_op({
      .name = "elu",
      .doc = "y = x if x > 0 else alpha · (eˣ - 1)",
      .module = "ELU",
      .torch = "F.elu(x, alpha)",
      .fx = "x, alpha=alpha, inplace=inplace",
      .attrs = {{"alpha", 1.0, "minus the limit for x towards -∞"}, inplace_attr()},
      .unary = {value, slope},
      .cost = elementwise<4>,
      .onnx = {{"Elu", 6, {{"alpha", "alpha"}}}},
      .repr = named_arguments,
      .samples = {{.inputs = {{.shape = {4, 5}, .avoid = {0.0}}}},
                  {.attrs = {{"alpha", 0.3}}, .inputs = {{.shape = {2, 1, 3}, .avoid = {0.0}}}},
                  {.attrs = {{"alpha", -1.5}, {"inplace", true}},
                   .inputs = {{.shape = {7}, .low = -1e4, .high = 1e4, .avoid = {0.0}}}},
                  {.inputs = {{.shape = {0}}}}},
  });
}

}  // namespace chop::ops::elu
