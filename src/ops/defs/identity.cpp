// y = x
#include "ops/core/rows.hpp"
#include "ops/families/indexing/shapes.hpp"

namespace chop::ops::identity {

OpDef define() {
  return {
      .name = "identity",
      .doc = "y = x",
      .module = "Identity",
      .torch = "torch.nn.Identity()(x)",
      .traits = Trait::Elementwise | Trait::View,
      .infer = same_type,
      .forward = copy_forward,
      .gradient = [](GradBuilder& g) { g.set(0, g.output_grad()); },
      .cost = free_of_charge,
      .rows_apart = broadcast_by_row,
      .onnx = {{"Identity", 1}},
      .samples = each_of({{{4, 5}}, {.shape = {}}, {{0, 3}}, {.shape = {3}, .dtype = DType::I64}}),
  };
}

}  // namespace chop::ops::identity
