// y = x
#include "ops/core/rows.hpp"
#include "ops/families/indexing/shapes.hpp"

namespace chop::ops::identity {
namespace {

void gradient(GradBuilder& g) {
  g.set(0, g.output_grad());
}

}  // namespace

OpDef define() {
  return {
      .name = "identity",
      .doc = "y = x",
      .mase_type = MaseType::ModuleRelatedFunc,
      .module = "Identity",
      .torch = "torch.nn.Identity()(x)",
      .traits = Trait::Elementwise | Trait::View,
      .infer = same_type,
      .forward = copy_forward,
      .gradient = gradient,
      .cost = free_of_charge,
      .rows_apart = broadcast_by_row,
      .onnx = {{"Identity", 1}},
      .samples = {{.inputs = {{{4, 5}}}},
                  {.inputs = {{.shape = {}}}},
                  {.inputs = {{{0, 3}}}},
                  {.inputs = {{.shape = {3}, .dtype = DType::I64}}}},
  };
}

}  // namespace chop::ops::identity
