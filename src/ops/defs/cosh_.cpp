// y = cosh x
#include "ops/core/common.hpp"

namespace chop::ops::cosh_ {

OpDef define() {
  return unary_op({
      .name = "cosh",
      .doc = "y = cosh x",
      .unary = {.value = [](double x, const Call&) { return std::cosh(x); },
                .slope = [](double x, double, const Call&) { return std::sinh(x); }},
      .onnx = {{"Cosh", 9}},
      .samples = each_of({{.shape = {4, 5}},
                          {.shape = {7}, .low = -5, .high = 5},
                          {.shape = {1}},
                          {.shape = {0, 3}}}),
  });
}

}  // namespace chop::ops::cosh_
