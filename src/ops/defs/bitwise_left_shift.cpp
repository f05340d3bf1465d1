// y = a << b, of unsigned whole numbers
#include "ops/families/elementwise/shifts.hpp"

namespace chop::ops::bitwise_left_shift {
namespace {

void forward(const ForwardCall& call) {
  shift_forward(call, [](std::uint64_t a, std::uint64_t b) { return b < 64 ? a << b : 0; });
}

}  // namespace

OpDef define() {
  return shift_op({
      .name = "bitwise_left_shift",
      .doc = "y = a · 2^b: a shifted left by b bits; those that leave the dtype are lost. "
             "Unsigned whole numbers; shapes broadcast",
      .forward = forward,
  });
}

}  // namespace chop::ops::bitwise_left_shift
