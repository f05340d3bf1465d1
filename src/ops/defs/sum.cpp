// y = Σ x over the dimensions `dim`
#include "ops/core/rows.hpp"
#include "ops/families/elementwise/reduce.hpp"
#include "ops/families/indexing/shapes.hpp"

namespace chop::ops::sum {

OpDef define() {
  return {
      .name = "sum",
      .doc = "y = Σ x over the dimensions `dim`. Whole numbers keep their dtype",
      .mase_type = MaseType::BuiltinFunc,
      .function = "torch.sum",
      .method = "sum",
      .torch = "torch.sum(x, dim, keepdim)",
      .attrs = {{"dim", Ints{}, "dimensions to sum over; empty means all"},
                {"keepdim", false, "whether they stay, with size one"}},
      .infer = number_reduce_type,
      .forward = sum_forward,
      .gradient = [](GradBuilder& g) { g.set(0, expand_reduced(g, g.output_grad())); },
      .cost = reduce_cost,
      .rows_apart = reduced_by_row,
      .onnx = {{"ReduceSum", 13, {{"keepdims", "keepdim"}}}},
      .samples = {{.inputs = {{{4, 5}}}},
                  {.attrs = {{"dim", Ints{1}}}, .inputs = {{{4, 5}}}},
                  {.attrs = {{"dim", Ints{0, -1}}}, .inputs = {{{2, 3, 2}}}},
                  {.attrs = {{"dim", Ints{-2}}, {"keepdim", true}}, .inputs = {{{2, 3, 2}}}},
                  {.attrs = {{"keepdim", true}}, .inputs = {{{2, 1}}}},
                  {.inputs = {{.shape = {}}}},
                  {.attrs = {{"dim", Ints{0}}}, .inputs = {{{0, 3}}}},
                  {.attrs = {{"dim", Ints{1}}},
                   .inputs = {{.shape = {3, 4}, .low = -9, .high = 9, .dtype = DType::I64}}}},
  };
}

}  // namespace chop::ops::sum
