// y = a - b · floor(a / b): what is left of a, with the sign of b
#include "ops/families/elementwise/binary.hpp"

namespace chop::ops::remainder_ {
namespace {

double value(double a, double b) {
  const double rest = std::fmod(a, b);
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

std::int64_t whole(std::int64_t a, std::int64_t b) {
  if (b == 0 || b == -1) return 0;
  const std::int64_t rest = a % b;
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

double slope_b(double a, double b, double /*y*/) {
  return -std::floor(a / b);
}

}  // namespace

OpDef define() {
  return remainder_op({
      .name = "remainder",
      .doc = "y = a - b · floor(a / b), with the sign of b, as % in Python; shapes broadcast. Of "
             "whole numbers, 0 when b is 0",
      .binary = {.value = value, .whole = whole, .slope_b = slope_b},
      .onnx = {{"Mod", 10}},
  });
}

}  // namespace chop::ops::remainder_
