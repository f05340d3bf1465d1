// A constant tensor: every element is `value`.
#include "ops/core/common.hpp"

namespace chop::ops::full {
namespace {

TypeList infer(const TypedCall& call) {
  for (const std::int64_t dim : call.ints("shape"))
    if (dim < 0)
      return Error{.what = cat("full cannot make the shape ", to_string(call.ints("shape")))};
  return std::vector<TensorType>{{DType::F32, call.ints("shape")}};
}

}  // namespace

OpDef define() {
  return {
      .name = "full",
      .doc = "a tensor of the given shape whose every element is `value`",
      .mase_type = MaseType::ImplicitFunc,
      .torch = "torch.full(shape, value, dtype=torch.get_default_dtype())",
      .min_inputs = 0,
      .attrs = {{"shape", Ints{}, "shape of the result", true}, {"value", 0.0, "its elements"}},
      .traits = Trait::NoGradient,
      .infer = infer,
      .forward = [](const ForwardCall& call) { std::ranges::fill(call.y(), call.real("value")); },
      .cost = free_of_charge,
      .samples = {{.attrs = {{"shape", Ints{2, 3}}, {"value", 0.5}}, .inputs = {}},
                  {.attrs = {{"shape", Ints{}}, {"value", -1.0}}, .inputs = {}}},
  };
}

}  // namespace chop::ops::full
