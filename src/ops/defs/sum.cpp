// y = Σ x over the dimensions `dim`
#include "ops/families/elementwise/reduce.hpp"
#include "ops/families/indexing/shapes.hpp"

namespace chop::ops::sum {

OpDef define() {
  return reduce_op({
      .name = "sum",
      .doc = "y = Σ x over the dimensions `dim`. Whole numbers keep their dtype",
      .method = "sum",
      .torch = "torch.sum(x, dim, keepdim)",
      .attrs = {{"dim", Ints{}, "dimensions to sum over; empty means all"},
                {"keepdim", false, "whether they stay, with size one"}},
      .infer = number_reduce_type,
      .forward = sum_forward,
      .gradient = [](GradBuilder& g) { g.set(0, expand_reduced(g, g.output_grad())); },
      .onnx = {{"ReduceSum", 13, {{"keepdims", "keepdim"}}}},
      .samples = {{.attrs = {{"dim", Ints{0}}}, .inputs = {{{0, 3}}}},
                  {.attrs = {{"dim", Ints{1}}}, .inputs = {wholes({3, 4}, -9, 9)}}},
  });
}

}  // namespace chop::ops::sum
