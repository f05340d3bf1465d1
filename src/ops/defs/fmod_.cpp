// y = a - b · trunc(a / b): what is left of a, with its sign
#include <cmath>

#include "ops/binary.hpp"

namespace chop::ops {
namespace {

double value(double a, double b) {
  return std::fmod(a, b);
}

std::int64_t whole(std::int64_t a, std::int64_t b) {
  return b == 0 || b == -1 ? 0 : a % b;
}

double slope_a(double /*a*/, double /*b*/, double /*y*/) {
  return 1.0;
}

double slope_b(double a, double b, double /*y*/) {
  return -std::trunc(a / b);
}

}  // namespace

OpDef fmod_() {
  return binary_op({
      .name = "fmod",
      .doc = "y = a - b · trunc(a / b), with the sign of a; shapes broadcast. Of whole numbers, 0 "
             "when b is 0",
      .mase_type = MaseType::BuiltinFunc,
      .function = "torch.fmod",
      .method = "fmod",
      .torch = "torch.fmod(x0, x1)",
      .binary = {value, whole, slope_a, slope_b},
      .samples = {{.inputs = {{.shape = {4, 5}, .low = 3.1, .high = 3.9},
                              {.shape = {4, 5}, .low = 2.1, .high = 2.9}}},
                  {.inputs = {{.shape = {4, 5}, .low = -3.9, .high = -3.1},
                              {.shape = {5}, .low = 2.1, .high = 2.9}}},
                  {.inputs = {{.shape = {2, 1, 3}, .low = 1.1, .high = 1.9},
                              {.shape = {4, 1}, .low = -0.99, .high = -0.98}}},
                  {.inputs = {{.shape = {}, .low = 0.1, .high = 0.4},
                              {.shape = {2, 2}, .low = 0.5, .high = 2}}},
                  {.inputs = {{.shape = {0, 3}}, {.shape = {1, 3}}}},
                  {.inputs = {{.shape = {3}, .low = -9, .high = 9, .dtype = DType::I64},
                              {.shape = {2, 3}, .low = 1, .high = 5, .dtype = DType::I64}}},
                  {.inputs = {{.shape = {7}, .low = -9, .high = 9, .dtype = DType::I64},
                              {.shape = {7}, .low = -5, .high = -1, .dtype = DType::I64}}},
                  {.inputs = {{.shape = {4}, .low = 0, .high = 200, .dtype = DType::U8},
                              {.shape = {4}, .low = 1, .high = 9, .dtype = DType::U8}}}},
  });
}

}  // namespace chop::ops
