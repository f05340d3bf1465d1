// y = a << b, of unsigned whole numbers
#include "ops/shifts.hpp"

namespace chop::ops {
namespace {

void forward(const ForwardCall& call) {
  shift_forward(call, [](std::uint64_t a, std::uint64_t b) { return b < 64 ? a << b : 0; });
}

}  // namespace

OpDef bitwise_left_shift() {
  return shift_op({
      .name = "bitwise_left_shift",
      .doc = "y = a · 2^b: the bits of a moved b places up; those that leave the dtype are lost. "
             "Unsigned whole numbers; shapes broadcast",
      .mase_type = MaseType::BuiltinFunc,
      .function = "torch.bitwise_left_shift",
      .method = "bitwise_left_shift",
      .torch = "torch.bitwise_left_shift(x0, x1)",
      .forward = forward,
      .samples = {{.inputs = {{.shape = {4, 5}, .low = 0, .high = 16, .dtype = DType::U8},
                              {.shape = {4, 5}, .low = 0, .high = 5, .dtype = DType::U8}}},
                  {.inputs = {{.shape = {4, 5}, .low = 0, .high = 1000, .dtype = DType::U32},
                              {.shape = {5}, .low = 0, .high = 9, .dtype = DType::U32}}},
                  {.inputs = {{.shape = {2, 1}, .low = 0, .high = 99, .dtype = DType::U16},
                              {.shape = {3}, .low = 0, .high = 9, .dtype = DType::U16}}},
                  {.inputs = {{.shape = {}, .low = 0, .high = 99, .dtype = DType::U64},
                              {.shape = {1}, .low = 0, .high = 9, .dtype = DType::U64}}},
                  {.inputs = {{.shape = {0, 3}, .low = 0, .high = 9, .dtype = DType::U8},
                              {.shape = {1, 3}, .low = 0, .high = 9, .dtype = DType::U8}}}},
  });
}

}  // namespace chop::ops
