// y = a >> b, of unsigned whole numbers
#include "ops/families/elementwise/shifts.hpp"

namespace chop::ops::bitwise_right_shift {
namespace {

void forward(const ForwardCall& call) {
  shift_forward(call, [](std::uint64_t a, std::uint64_t b) { return b < 64 ? a >> b : 0; });
}

}  // namespace

OpDef define() {
  return shift_op({
      .name = "bitwise_right_shift",
      .doc = "y = a / 2^b, rounded down: a shifted right by b bits. Unsigned whole "
             "numbers; shapes broadcast",
      .forward = forward,
  });
}

}  // namespace chop::ops::bitwise_right_shift
