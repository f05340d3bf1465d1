// y = a - b · trunc(a / b): what is left of a, with its sign
#include <cmath>

#include "ops/families/elementwise/binary.hpp"

namespace chop::ops::fmod_ {
namespace {

double value(double a, double b) {
  return std::fmod(a, b);
}

std::int64_t whole(std::int64_t a, std::int64_t b) {
  return b == 0 || b == -1 ? 0 : a % b;
}

double slope_b(double a, double b, double /*y*/) {
  return -std::trunc(a / b);
}

}  // namespace

OpDef define() {
  return remainder_op({
      .name = "fmod",
      .doc = "y = a - b · trunc(a / b), with the sign of a; shapes broadcast. Of whole numbers, 0 "
             "when b is 0",
      .function = "torch.fmod",
      .method = "fmod",
      .torch = "torch.fmod(x0, x1)",
      .binary = {.value = value, .whole = whole, .slope_b = slope_b},
  });
}

}  // namespace chop::ops::fmod_
