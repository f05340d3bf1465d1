// y = whether a ≤ b
#include "ops/families/elementwise/truth.hpp"

namespace chop::ops::le {
namespace {

void forward(const ForwardCall& call) {
  compare_forward(
      call, [](double a, double b) { return a <= b; },
      [](std::int64_t a, std::int64_t b) { return a <= b; });
}

}  // namespace

OpDef define() {
  return truth_op({
      .name = "le",
      .doc = "y = whether a ≤ b; shapes broadcast",
      .mase_type = MaseType::BuiltinFunc,
      .function = "torch.le",
      .method = "le",
      .torch = "torch.le(x0, x1)",
      .forward = forward,
      .onnx = {{"LessOrEqual", 12}},
      .samples = {{.inputs = {{.shape = {4, 5}}, {.shape = {4, 5}}}},
                  {.inputs = {{.shape = {4, 5}}, {.shape = {5}}}},
                  {.inputs = {{.shape = {2, 1, 3}}, {.shape = {4, 1}}}},
                  {.inputs = {{.shape = {}}, {.shape = {2, 2}}}},
                  {.inputs = {{.shape = {3}, .low = 1, .high = 1},
                              {.shape = {3}, .low = 1, .high = 1}}},
                  {.inputs = {{.shape = {0, 3}}, {.shape = {1, 3}}}},
                  {.inputs = {{.shape = {3, 4}, .low = 0, .high = 3, .dtype = DType::I64},
                              {.shape = {4}, .low = 0, .high = 3, .dtype = DType::I64}}},
                  {.inputs = {{.shape = {9}, .low = 0, .high = 3, .dtype = DType::U8},
                              {.shape = {9}, .low = 0, .high = 3, .dtype = DType::U8}}}},
  });
}

}  // namespace chop::ops::le
