// y = x · sigmoid(x)
#include "ops/core/common.hpp"
#include "ops/core/costs.hpp"
#include "ops/families/elementwise/stable.hpp"

namespace chop::ops::silu {
namespace {

double value(double x, const Call& /*call*/) {
  return x * stable_sigmoid(x);
}

double slope(double x, double /*y*/, const Call& /*call*/) {
  return stable_sigmoid(x) * (1 + x * stable_sigmoid(-x));
}

}  // namespace

OpDef define() {
  return inplace_op({
      .name = "silu",
      .doc = "y = x / (1 + e⁻ˣ)",
      .module = "SiLU",
      .torch = "F.silu(x)",
      .unary = {value, slope},
      .cost = elementwise<5>,
      .repr = named_arguments,
      .samples = each_of({{.shape = {4, 5}},
                          {.shape = {9}, .low = -1e4, .high = 1e4},
                          {.shape = {1, 1}, .low = -800, .high = -700},
                          {.shape = {0}}}),
  });
}

}  // namespace chop::ops::silu
