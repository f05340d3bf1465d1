// y = the place of the largest x along `dim`
#include "ops/reduce.hpp"

namespace chop::ops {
namespace {

void forward(const ForwardCall& call) {
  arg_forward(
      call, [](double a, double b) { return a > b; },
      [](std::int64_t a, std::int64_t b) { return a > b; });
}

}  // namespace

OpDef argmax() {
  return {
      .name = "argmax",
      .doc =
          "y = the place of the largest x along `dim`, as i64; the first of equal ones, and NaN "
          "before all numbers",
      .mase_type = MaseType::BuiltinFunc,
      .function = "torch.argmax",
      .method = "argmax",
      .torch =
          "(x.shape[dim] - 1 - torch.argmax(x.flip(dim), dim, keepdim)) if select_last "
          "else torch.argmax(x, dim, keepdim)",
      .attrs = arg_attrs(),
      .traits = Trait::NoGradient,
      .infer = arg_type,
      .forward = forward,
      .cost = arg_cost,
      .onnx = {{"ArgMax",
                12,
                {{"axis", "dim"}, {"keepdims", "keepdim"}, {"select_last_index", "select_last"}}}},
      .samples = {{.inputs = {{.shape = {4, 5}, .distinct = true}}},
                  {.attrs = {{"dim", std::int64_t{1}}},
                   .inputs = {{.shape = {4, 5}, .distinct = true}}},
                  {.attrs = {{"dim", std::int64_t{-2}}, {"keepdim", true}},
                   .inputs = {{.shape = {2, 3, 2}, .distinct = true}}},
                  {.attrs = {{"dim", std::int64_t{-1}}, {"select_last", true}},
                   .inputs = {{.shape = {2, 3, 2}, .distinct = true}}},
                  {.attrs = {{"dim", std::int64_t{1}}},
                   .inputs = {{.shape = {4, 9}, .low = 0, .high = 3, .dtype = DType::I64}}},
                  {.attrs = {{"dim", std::int64_t{1}}, {"select_last", true}},
                   .inputs = {{.shape = {4, 9}, .low = 0, .high = 3, .dtype = DType::I64}}},
                  {.inputs = {{.shape = {}}}},
                  {.attrs = {{"dim", std::int64_t{1}}}, .inputs = {{{0, 3}}}}},
  };
}

}  // namespace chop::ops
