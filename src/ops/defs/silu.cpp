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

std::string repr(const Call& call) {
  return call.flag("inplace") ? "inplace=True" : "";
}

}  // namespace

OpDef define() {
  return unary_op({
      .name = "silu",
      .doc = "y = x / (1 + e⁻ˣ)",
      .mase_type = MaseType::ModuleRelatedFunc,
      .module = "SiLU",
      .function = "torch.nn.functional.silu",
      .torch = "F.silu(x)",
      .fx = "x, inplace=inplace",
      .attrs = {{"inplace", false, "kept for its name in reports; results never depend on it"}},
      .unary = {value, slope},
      .cost = elementwise<5>,
      .repr = repr,
      .samples = {{.inputs = {{.shape = {4, 5}}}},
                  {.inputs = {{.shape = {9}, .low = -1e4, .high = 1e4}}},
                  {.inputs = {{.shape = {1, 1}, .low = -800, .high = -700}}},
                  {.inputs = {{.shape = {0}}}}},
  });
}

}  // namespace chop::ops::silu
