// y = whether just one of a and b is true
#include "ops/families/elementwise/truth.hpp"

namespace chop::ops::logical_xor {
namespace {

void forward(const ForwardCall& call) {
  compare_forward(call, nullptr,
                  [](std::int64_t a, std::int64_t b) { return (a != 0) != (b != 0); });
}

}  // namespace

OpDef define() {
  return connective({
      .name = "logical_xor",
      .doc = "y = whether just one of a and b is true; shapes broadcast",
      .forward = forward,
      .onnx = {{"Xor", 7}},
  });
}

}  // namespace chop::ops::logical_xor
