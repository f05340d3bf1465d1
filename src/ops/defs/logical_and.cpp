// y = whether both a and b are true
#include "ops/families/elementwise/truth.hpp"

namespace chop::ops::logical_and {
namespace {

void forward(const ForwardCall& call) {
  compare_forward(call, nullptr, [](std::int64_t a, std::int64_t b) { return a != 0 && b != 0; });
}

}  // namespace

OpDef define() {
  return connective({
      .name = "logical_and",
      .doc = "y = whether both a and b are true; shapes broadcast",
      .forward = forward,
      .onnx = {{"And", 7}},
  });
}

}  // namespace chop::ops::logical_and
