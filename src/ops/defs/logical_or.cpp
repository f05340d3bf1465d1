// y = whether a or b or both are true
#include "ops/families/elementwise/truth.hpp"

namespace chop::ops::logical_or {
namespace {

void forward(const ForwardCall& call) {
  compare_forward(call, nullptr, [](std::int64_t a, std::int64_t b) { return a != 0 || b != 0; });
}

}  // namespace

OpDef define() {
  return connective({
      .name = "logical_or",
      .doc = "y = whether a or b or both are true; shapes broadcast",
      .forward = forward,
      .onnx = {{"Or", 7}},
  });
}

}  // namespace chop::ops::logical_or
