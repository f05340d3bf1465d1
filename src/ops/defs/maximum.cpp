// y = the larger of a and b; NaN if one of them is
#include <cmath>

#include "ops/binary.hpp"

namespace chop::ops {
namespace {

double value(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return std::nan("");
  return a > b ? a : b;
}

std::int64_t whole(std::int64_t a, std::int64_t b) {
  return a > b ? a : b;
}

double slope_a(double a, double b, double /*y*/) {
  if (a == b) return 0.5;
  return b > a ? 0.0 : 1.0;
}

double slope_b(double a, double b, double /*y*/) {
  if (a == b) return 0.5;
  return a > b ? 0.0 : 1.0;
}

}  // namespace

OpDef maximum() {
  return binary_op({
      .name = "maximum",
      .doc = "y = max(a, b); shapes broadcast, NaN wins. The gradient goes to the larger one, in "
             "halves where they are equal",
      .mase_type = MaseType::BuiltinFunc,
      .function = "torch.maximum",
      .method = "maximum",
      .torch = "torch.maximum(x0, x1)",
      .traits = Trait::Commutative,
      .binary = {value, whole, slope_a, slope_b},
      .onnx = {{"Max", 8}},
      .samples = {{.inputs = {{.shape = {4, 5}, .low = -3, .high = 3, .distinct = true},
                              {.shape = {4, 5}, .low = -2.95, .high = 3.05}}},
                  {.inputs = {{.shape = {4, 5}, .low = -3, .high = 0},
                              {.shape = {5}, .low = 0.1, .high = 3}}},
                  {.inputs = {{.shape = {2, 1, 3}, .low = 0.1, .high = 3},
                              {.shape = {4, 1}, .low = -3, .high = 0}}},
                  {.inputs = {{.shape = {}}, {.shape = {2, 2}, .low = 3.1, .high = 4}}},
                  {.inputs = {{.shape = {3}, .low = -10000.0, .high = -1},
                              {.shape = {3}, .low = 1, .high = 10000.0}}},
                  {.inputs = {{.shape = {0, 3}}, {.shape = {1, 3}}}},
                  {.inputs = {{.shape = {3}, .low = -9, .high = 9, .dtype = DType::I64},
                              {.shape = {2, 3}, .low = -9, .high = 9, .dtype = DType::I64}}},
                  {.inputs = {{.shape = {4}, .low = 0, .high = 200, .dtype = DType::U8},
                              {.shape = {4}, .low = 0, .high = 200, .dtype = DType::U8}}}},
  });
}

}  // namespace chop::ops
