// y = x under another shape with as many elements; one dimension may be -1
#include "ops/core/rows.hpp"
#include "ops/families/indexing/shapes.hpp"

namespace chop::ops::reshape {

OpDef define() {
  return {
      .name = "reshape",
      .doc = "x under another shape with as many elements",
      .mase_type = MaseType::ImplicitFunc,
      .function = "torch.reshape",
      .method = "reshape",
      .torch = "torch.reshape(x, shape)",
      .fx = "x, (shape)",
      .attrs = {{"shape", Ints{}, "the new shape; -1 is computed from the other dimensions", true}},
      .traits = Trait::View,
      .infer = reshape_type,
      .forward = copy_forward,
      .gradient = reshape_gradient,
      .cost = free_of_charge,
      .rows_apart = reshaped_by_row,
      .onnx = {{"Reshape", 5}},
      .samples = {{.attrs = {{"shape", Ints{2, -1}}}, .inputs = {{{2, 3, 4}}}},
                  {.attrs = {{"shape", Ints{-1}}}, .inputs = {{{4, 5}}}},
                  {.attrs = {{"shape", Ints{3, 2, 1, 2}}}, .inputs = {{{4, 3}}}},
                  {.attrs = {{"shape", Ints{}}}, .inputs = {{{1, 1}}}},
                  {.attrs = {{"shape", Ints{1, -1}}}, .inputs = {{.shape = {}}}},
                  {.attrs = {{"shape", Ints{-1, 6}}}, .inputs = {{{0, 3, 2}}}},
                  {.attrs = {{"shape", Ints{3, -1}}},
                   .inputs = {{.shape = {6}, .dtype = DType::I64}}}},
  };
}

}  // namespace chop::ops::reshape
