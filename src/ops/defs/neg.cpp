// y = -x
#include "ops/core/common.hpp"
#include "ops/families/elementwise/whole.hpp"

namespace chop::ops::neg {
namespace {

double value(double x, const Call& /*call*/) {
  return -x;
}

double slope(double /*x*/, double /*y*/, const Call& /*call*/) {
  return -1.0;
}

std::int64_t whole(std::int64_t x, const Call& /*call*/) {
  return wrapping_sub(0, x);
}

}  // namespace

OpDef define() {
  return unary_op({
      .name = "neg",
      .doc = "y = -x",
      .mase_type = MaseType::BuiltinFunc,
      .function = "torch.neg",
      .method = "neg",
      .torch = "torch.neg(x)",
      .unary = {value, slope, false, whole},
      .onnx = {{"Neg", 6}},
      .samples = {{.inputs = {{.shape = {4, 5}}}},
                  {.inputs = {{.shape = {7}, .low = -1e4, .high = 1e4}}},
                  {.inputs = {{.shape = {1}}}},
                  {.inputs = {{.shape = {0, 3}}}},
                  {.inputs = {{.shape = {2, 3}, .low = -9, .high = 9, .dtype = DType::I64}}},
                  {.inputs = {{.shape = {3}, .low = -9, .high = 9, .dtype = DType::I8}}}},
  });
}

}  // namespace chop::ops::neg
