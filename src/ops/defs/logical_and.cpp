// y = whether both a and b are true
#include "ops/families/elementwise/truth.hpp"

namespace chop::ops::logical_and {
namespace {

void forward(const ForwardCall& call) {
  compare_forward(call, nullptr, [](std::int64_t a, std::int64_t b) { return a != 0 && b != 0; });
}

}  // namespace

OpDef define() {
  return truth_op({
      .name = "logical_and",
      .doc = "y = whether both a and b are true; shapes broadcast",
      .mase_type = MaseType::BuiltinFunc,
      .function = "torch.logical_and",
      .method = "logical_and",
      .torch = "torch.logical_and(x0.bool(), x1.bool())",
      .traits = Trait::Commutative,
      .infer = logic_type,
      .forward = forward,
      .onnx = {{"And", 7}},
      .samples = {{.inputs = {{.shape = {4, 5}, .low = 0, .high = 2, .dtype = DType::Bool},
                              {.shape = {4, 5}, .low = 0, .high = 2, .dtype = DType::Bool}}},
                  {.inputs = {{.shape = {4, 5}, .low = 0, .high = 2, .dtype = DType::Bool},
                              {.shape = {5}, .low = 0, .high = 2, .dtype = DType::Bool}}},
                  {.inputs = {{.shape = {2, 1, 3}, .low = 0, .high = 2, .dtype = DType::Bool},
                              {.shape = {4, 1}, .low = 0, .high = 2, .dtype = DType::Bool}}},
                  {.inputs = {{.shape = {}, .low = 0, .high = 2, .dtype = DType::Bool},
                              {.shape = {1}, .low = 0, .high = 2, .dtype = DType::Bool}}},
                  {.inputs = {{.shape = {0, 3}, .low = 0, .high = 2, .dtype = DType::Bool},
                              {.shape = {1, 3}, .low = 0, .high = 2, .dtype = DType::Bool}}}},
  });
}

}  // namespace chop::ops::logical_and
