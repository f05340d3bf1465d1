// y = the smallest x over the dimensions `dim`
#include "ops/reduce.hpp"

namespace chop::ops {
namespace {

void forward(const ForwardCall& call) {
  extreme_forward(
      call, [](double a, double b) { return a < b; },
      [](std::int64_t a, std::int64_t b) { return a < b; });
}

}  // namespace

OpDef amin() {
  return {
      .name = "amin",
      .doc =
          "y = the smallest x over the dimensions `dim`; NaN wins. The gradient is shared equally "
          "among equal elements",
      .mase_type = MaseType::BuiltinFunc,
      .function = "torch.amin",
      .method = "amin",
      .torch = "torch.amin(x, dim, keepdim)",
      .attrs = reduce_attrs(),
      .infer = nonempty_reduce_type,
      .forward = forward,
      .gradient = extreme_gradient,
      .cost = reduce_cost,
      .onnx = {{"ReduceMin", 13, {{"axes", "dim"}, {"keepdims", "keepdim"}}}},
      .samples = {{.inputs = {{.shape = {4, 5}, .distinct = true}}},
                  {.attrs = {{"dim", Ints{1}}}, .inputs = {{.shape = {4, 5}, .distinct = true}}},
                  {.attrs = {{"dim", Ints{0, -1}}},
                   .inputs = {{.shape = {2, 3, 2}, .distinct = true}}},
                  {.attrs = {{"dim", Ints{-2}}, {"keepdim", true}},
                   .inputs = {{.shape = {2, 3, 2}, .distinct = true}}},
                  {.attrs = {{"keepdim", true}}, .inputs = {{.shape = {2, 1}, .distinct = true}}},
                  {.inputs = {{.shape = {}}}},
                  {.attrs = {{"dim", Ints{1}}}, .inputs = {{{0, 3}}}},
                  {.attrs = {{"dim", Ints{1}}},
                   .inputs = {{.shape = {3, 4}, .low = -9, .high = 9, .dtype = DType::I64}}},
                  {.inputs = {{.shape = {9}, .low = 0, .high = 200, .dtype = DType::U8}}}},
  };
}

}  // namespace chop::ops
