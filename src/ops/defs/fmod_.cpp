// y = a - b · trunc(a / b): what is left of a, with its sign
#include "ops/families/elementwise/binary.hpp"

namespace chop::ops::fmod_ {

OpDef define() {
  return remainder_op({
      .name = "fmod",
      .doc = "y = a - b · trunc(a / b), with the sign of a; shapes broadcast. Of whole numbers, 0 "
             "when b is 0",
      .binary = {
          .value = [](double a, double b) { return std::fmod(a, b); },
          .whole = [](std::int64_t a, std::int64_t b) { return b == 0 || b == -1 ? 0 : a % b; },
          .slope_b = [](double a, double b, double) { return -std::trunc(a / b); }},
  });
}

}  // namespace chop::ops::fmod_
